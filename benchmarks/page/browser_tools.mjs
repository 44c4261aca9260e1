// Frames, memory and a local server for the measurements.

import {createServer} from 'node:http';
import {createReadStream, readFileSync} from 'node:fs';
import {basename, join} from 'node:path';

const types = {js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', html: 'text/html'};

/** Serves files of some folders, by their last name. */
export async function serveFolder(...folders) {
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url, 'http://x').pathname);
    const folder = [...folders, ...server.more].find((dir) => {
      try {
        return readFileSync(join(dir, name)) && true;
      } catch {
        return false;
      }
    });
    if (!folder) return response.writeHead(404).end();
    response.writeHead(200, {'Content-Type': types[name.split('.').pop()] ?? 'application/octet-stream'});
    createReadStream(join(folder, name)).pipe(response);
  });
  server.more = [];
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  return {address, add: (folder) => server.more.push(folder), close: () => server.close()};
}

/** Private memory of the process that shows the page, in MB. */
export async function privateMegabytes(browser, page) {
  const session = await browser.target().createCDPSession();
  const {processInfo} = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo
    .filter((p) => p.type === 'renderer')
    .map((p) => {
      const text = readFileSync(`/proc/${p.id}/smaps_rollup`, 'utf8');
      return [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB/gm)].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1024;
    });
  void page;
  return Math.max(...renderers);
}

/** Notes how long the page works for each frame. Before the page is opened. */
export async function watchFrames(page) {
  await page.evaluateOnNewDocument(() => {
    const ask = window.requestAnimationFrame.bind(window);
    window.work_ = [];
    window.requestAnimationFrame = (callback) =>
      ask((now) => {
        const begin = performance.now();
        callback(now);
        window.work_.push(performance.now() - begin);
      });
  });
}

/** Holds each key for a while and counts the frames that were drawn. */
export async function framesPerSecond(page, keys) {
  await page.evaluate(() => {
    window.frames_ = [];
    window.work_.length = 0;
    const tick = (now) => {
      window.frames_.push(now);
      window.ticking = requestAnimationFrame(tick);
    };
    window.ticking = requestAnimationFrame(tick);
  });
  for (const key of keys) {
    await page.keyboard.down(key);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await page.keyboard.up(key);
  }
  const {times, work} = await page.evaluate(() => {
    cancelAnimationFrame(window.ticking);
    return {times: window.frames_, work: window.work_.filter((ms) => ms > 0.2).sort((a, b) => a - b)};
  });
  const gaps = times.slice(1).map((t, i) => t - times[i]);
  return {
    fps: (1000 * gaps.length) / (times[times.length - 1] - times[0]),
    worst: Math.max(...gaps),
    work: work[work.length >> 1],
  };
}
