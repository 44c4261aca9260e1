#!/usr/bin/env node
// Measures the page in headless Chromium and prints a table.
//
// usage: measure.mjs [--tool TACTUS] [--run RUN.tact] [--rounds N] [--without-perfetto]
//
// Needs the packages of ui (npm ci) and, for the comparison, those of ../rivals. Exit status 77: cannot run here.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {openBrowser} from '../../ui/tests/support/browser.mjs';
import {reportHtml} from '../../ui/tests/support/html.mjs';
import {madeUpRun} from '../../ui/tests/support/made_up.mjs';
import {framesPerSecond, privateMegabytes, serveFolder, watchFrames} from './browser_tools.mjs';
import {askPerfetto} from './perfetto.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const option = (name, fallback) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback);
const tool = option('--tool', join(root, 'build/release/tactus'));
const run = option('--run', join(root, 'data/demo/h200-good.tact'));
const rounds = Number(option('--rounds', 5));
const folder = mkdtempSync(join(tmpdir(), 'tactus-page-bench-'));
console.log('| what | measured | aim |\n|---|---|---|');
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const add = (what, value, aim = '') => console.log(`| ${what} | ${value} | ${aim} |`);

async function inFreshBrowser(work) {
  const session = await openBrowser();
  try {
    const page = await session.browser.newPage();
    await page.setViewport({width: 1280, height: 900});
    return await work(page, session.browser);
  } finally {
    await session.close();
  }
}

/** From the start of the navigation: first paint, the sentence, the kernel table; and the memory of the renderer. */
async function openReport(address) {
  return inFreshBrowser(async (page, browser) => {
    const blank = await privateMegabytes(browser, page);
    await page.goto(`${address}#kernels`, {waitUntil: 'commit'}).catch(() => page.goto(`${address}#kernels`));
    await page.waitForFunction(() => document.querySelector('tbody tr td:nth-child(4)')?.textContent.length > 3, {polling: 10});
    const answer = await page.evaluate(() => performance.now());
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    await page.waitForFunction(() => document.readyState === 'complete');
    return {paint, answer, memory: (await privateMegabytes(browser, page)) - blank};
  });
}

async function openOverview(address) {
  return inFreshBrowser(async (page) => {
    await page.goto(`${address}#overview`);
    await page.waitForFunction(() => document.querySelectorAll('.bar').length > 4 && document.querySelector('canvas'), {
      polling: 10,
    });
    return page.evaluate(() => performance.now());
  });
}

async function measureReport() {
  const html = join(folder, 'report.html');
  const begin = performance.now();
  execFileSync(tool, ['report', run, '-o', html, '-q']);
  const making = performance.now() - begin;
  const opened = [],
    overview = [];
  for (let i = 0; i < rounds; ++i) {
    opened.push(await openReport(`file://${html}`));
    overview.push(await openOverview(`file://${html}`));
  }
  add(
    'tactus report',
    `${making.toFixed(0)} ms, ${(statSync(html).size / 1e3).toFixed(0)} kB`,
    `<= 1.5 times the .tact (${((1.5 * statSync(run).size) / 1e3).toFixed(0)} kB) + the bundle`,
  );
  add('first paint of the report', `${median(opened.map((o) => o.paint)).toFixed(0)} ms`, '< 1000 ms');
  add('overview complete', `${median(overview).toFixed(0)} ms`, '< 1000 ms');
  add('kernel table (first answer)', `${median(opened.map((o) => o.answer)).toFixed(0)} ms`);
  add('memory with the kernel table', `${median(opened.map((o) => o.memory)).toFixed(0)} MB`);
  return {answer: median(opened.map((o) => o.answer)), memory: median(opened.map((o) => o.memory)), making};
}

/** A million slices: time to the first picture, frames while moving and zooming. */
async function measureTimeline() {
  const names = Array.from({length: 400}, (_, i) => `void kernel_${i}<float, ${i % 7}>(float*)`);
  const file = join(folder, 'million.html');
  writeFileSync(file, reportHtml(madeUpRun({slices: 1e6, tracks: 24, names}), {open: 'timeline'}));
  await inFreshBrowser(async (page, browser) => {
    await watchFrames(page);
    await page.goto(`file://${file}#timeline`);
    await page.waitForSelector('.tl-main');
    add('1,000,000 slices: timeline on screen', `${(await page.evaluate(() => performance.now())).toFixed(0)} ms`);
    await page.focus('.tl-main');
    await new Promise((resolve) => setTimeout(resolve, 1000)); // sums and trees are made meanwhile
    for (const [what, keys] of [
      ['moving, all slices in view', ['d', 'a']],
      ['zooming in and out', ['w', 's']],
      ['moving, zoomed in', ['d', 'a']],
    ]) {
      const {fps, worst, work} = await framesPerSecond(page, keys);
      add(
        `1,000,000 slices: ${what}`,
        `${fps.toFixed(0)} frames per second, longest ${worst.toFixed(0)} ms; ${work.toFixed(1)} ms of work per frame`,
        '>= 50',
      );
    }
    add('1,000,000 slices: memory', `${(await privateMegabytes(browser, page)).toFixed(0)} MB`);
  });
}

async function measureSearch() {
  const names = Array.from({length: 1e6}, (_, i) => `void ns::kernel_${(i * 7919) % 1000003}<float, ${i % 97}>(float*, int)`);
  const documents = madeUpRun({slices: 1e6, tracks: 8, names});
  const file = join(folder, 'names.html');
  writeFileSync(file, reportHtml(documents, {open: 'timeline'}));
  await inFreshBrowser(async (page) => {
    await page.goto(`file://${file}#timeline`);
    await page.waitForSelector('.tl-main', {timeout: 60000});
    await new Promise((resolve) => setTimeout(resolve, 4000)); // the page prepares the search while it has nothing else to do
    const times = [];
    for (const text of ['kernel_12345', 'nothing at all', '<float, 42>', 'KERNEL_999']) {
      times.push(
        await page.evaluate(
          (wanted) =>
            new Promise((resolve) => {
              const input = document.querySelector('[data-search]');
              const before = document.querySelector('.tools [role=status]')?.textContent;
              input.value = wanted;
              const begin = performance.now();
              input.dispatchEvent(new Event('input', {bubbles: true}));
              const look = () =>
                document.querySelector('.tools [role=status]')?.textContent !== before
                  ? resolve(performance.now() - begin)
                  : setTimeout(look, 0);
              look();
            }),
          text,
        ),
      );
    }
    add(
      'search over 1,000,000 names and slices',
      `${median(times).toFixed(0)} ms (longest ${Math.max(...times).toFixed(0)} ms)`,
      '< 100 ms',
    );
  });
}

function measureBundle() {
  const sizes = ['page.js', 'page.css'].map((name) => readFileSync(join(root, 'ui/dist', name)));
  const bytes = sizes.reduce((sum, file) => sum + file.length, 0);
  add(
    'bundle',
    `${(bytes / 1e3).toFixed(0)} kB (${(gzipSync(Buffer.concat(sizes)).length / 1e3).toFixed(0)} kB gzip)`,
    '< 400 kB',
  );
}

async function measurePerfetto(ours) {
  const server = await serveFolder(folder);
  try {
    for (const [format, file] of [
      ['chrome', 'trace.json'],
      ['perfetto', 'trace.pftrace'],
    ]) {
      execFileSync(tool, ['export', run, '--format', format, '-o', join(folder, file), '-q']);
      const results = [];
      for (let i = 0; i < Math.min(rounds, 3); ++i)
        results.push(await inFreshBrowser((page, browser) => askPerfetto(page, browser, server, file)));
      const answer = median(results.map((r) => r.answer)),
        memory = median(results.map((r) => r.memory));
      add(
        `trace_processor (wasm) of ${file}: first answer`,
        `${answer.toFixed(0)} ms; ours ${(ours.answer / answer).toFixed(2)} of it`,
        '<= 0.33',
      );
      add(
        `trace_processor (wasm) of ${file}: first answer, with tactus report`,
        `ours ${((ours.answer + ours.making) / answer).toFixed(2)} of it`,
        '<= 0.33',
      );
      add(
        `trace_processor (wasm) of ${file}: memory`,
        `${memory.toFixed(0)} MB; ours ${(ours.memory / memory).toFixed(2)} of it`,
        '<= 0.33',
      );
    }
  } finally {
    server.close();
  }
}

try {
  measureBundle();
  const ours = await measureReport();
  await measureTimeline();
  await measureSearch();
  if (!process.argv.includes('--without-perfetto')) await measurePerfetto(ours);
} finally {
  rmSync(folder, {recursive: true, force: true});
}
