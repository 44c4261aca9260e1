// tactus serve in a browser: a run that grows, and handing a run to Perfetto.

import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {appendFileSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:https';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {openBrowser, openPage, textOf, until} from './support/browser.mjs';
import {folder, tool} from './support/reports.mjs';

const demo = fileURLToPath(new URL('../../data/demo/', import.meta.url));
const opened = [];
after(async () => {
  for (const close of opened.reverse()) await close();
});

async function browse(flags) {
  const session = await openBrowser(flags);
  opened.push(() => session.close());
  return session.browser;
}

/** The address that tactus serve prints. */
async function serve(...runs) {
  const server = spawn(tool, ['serve', ...runs, '-q'], {stdio: ['ignore', 'pipe', 'ignore']});
  opened.push(() => server.kill('SIGINT'));
  for await (const line of server.stdout) return String(line).trim().split(/\s/)[0];
  throw new Error('tactus serve printed no address');
}

test('a recording that grows: the page follows it and says when it is done', async () => {
  const whole = readFileSync(join(demo, 'h200-good.tact'));
  const path = join(folder, 'growing.tact');
  const begun = Math.floor(whole.length * 0.8);
  writeFileSync(path, whole.subarray(0, begun));
  const page = await openPage(await browse(), await serve(path), {hash: 'overview', wait: '.live'});
  await page.waitForSelector('main .facts');
  const slices = () => page.evaluate(() => document.querySelector('main').textContent);
  const before = await slices();
  appendFileSync(path, whole.subarray(begun));
  await until(page, () => document.querySelector('.live') === null);
  await until(page, (old) => document.querySelector('main').textContent !== old, before);
  await page.evaluate(() => {
    location.hash = 'kernels';
  });
  await page.waitForSelector('tbody tr');
  const alone = JSON.parse(execFileSync(tool, ['kernels', join(demo, 'h200-good.tact'), '--json', '-q'], {maxBuffer: 1e8}));
  await until(
    page,
    (count) => document.querySelector('main').textContent.includes(count),
    alone.rows.length.toLocaleString('en-US') + ' rows',
  );
  assert.deepEqual(page.problems, []);
});

/** What ui.perfetto.dev does with a run that is handed to it. */
const standIn = `<!doctype html><title>stand-in</title><p>waiting</p><script>
addEventListener('message', async ({data, source, origin}) => {
  if (data === 'PING') return source.postMessage('PONG', origin);
  const {buffer, title, fileName} = data.perfetto;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', buffer));
  document.querySelector('p').textContent =
    [title, fileName, buffer.byteLength, [...hash].map((b) => b.toString(16).padStart(2, '0')).join('')].join(' ');
});
</script>`;

async function perfettoHere() {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=ui.perfetto.dev',
    '-keyout', key, '-out', cert], {stdio: 'ignore'});
  const server = createServer({key: readFileSync(key), cert: readFileSync(cert)}, (_, response) =>
    response.writeHead(200, {'Content-Type': 'text/html'}).end(standIn),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));
  return server.address().port;
}

test('open in Perfetto hands over what the export writes', async (t) => {
  let port;
  try {
    port = await perfettoHere();
  } catch (error) {
    t.skip(`no certificate: ${error.message}`);
    return;
  }
  const browser = await browse([`--host-resolver-rules=MAP ui.perfetto.dev:443 127.0.0.1:${port}`, '--ignore-certificate-errors']);
  const run = join(demo, 'h200-two-ranks.tact');
  const page = await openPage(browser, await serve(run));
  const button = await page.waitForSelector('::-p-text(Open in Perfetto)');
  await button.click();
  const target = await browser.waitForTarget((other) => other.url().startsWith('https://ui.perfetto.dev'), {timeout: 10000});
  const perfetto = await target.page();
  await until(perfetto, () => document.querySelector('p')?.textContent !== 'waiting');
  const exported = join(folder, 'run.pftrace');
  execFileSync(tool, ['export', run, '--format', 'perfetto', '-o', exported, '-q']);
  const bytes = readFileSync(exported);
  const hash = execFileSync('openssl', ['dgst', '-sha256', '-r', exported]).toString().split(' ')[0];
  assert.equal(
    await textOf(perfetto, 'p'),
    ['h200-two-ranks.tact', 'h200-two-ranks.tact.pftrace', bytes.length, hash].join(' '),
  );
  assert.deepEqual(page.problems, []);
});
