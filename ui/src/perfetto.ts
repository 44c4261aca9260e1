// Opens a run in Perfetto: a window that asks for nothing but the bytes, which are handed over inside the browser.

import type {Documents} from './data/documents';

const address = 'https://ui.perfetto.dev';

export async function openInPerfetto(documents: Documents, run: number, title: string): Promise<void> {
  const window_ = window.open(address);
  if (!window_) throw new Error('The browser did not open a window.');
  const buffer = await documents.bytes(`run/${run}/perfetto`);
  await new Promise<void>((resolve, reject) => {
    const timer = setInterval(() => window_.postMessage('PING', address), 100);
    const answer = (event: MessageEvent): void => {
      if (event.origin !== address || event.data !== 'PONG') return;
      clearInterval(timer);
      window.removeEventListener('message', answer);
      resolve();
    };
    window.addEventListener('message', answer);
    setTimeout(() => {
      clearInterval(timer);
      window.removeEventListener('message', answer);
      reject(new Error(`${address} does not answer.`));
    }, 60000);
  });
  window_.postMessage({perfetto: {buffer, title, fileName: `${title}.pftrace`}}, address);
}
