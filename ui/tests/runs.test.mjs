// Comparisons, ranks, results, tables: what a report shows besides one run.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {openBrowser, openPage, textOf, textsOf, until} from './support/browser.mjs';
import {report} from './support/reports.mjs';

let session;
before(async () => {
  session = await openBrowser();
});
after(() => session.close());
const two = ['demo/h200-good.tact', 'demo/h200-slow.tact'];

test('two runs open at the comparison: verdict, waterfall that adds up, counters, table', async () => {
  const page = await openPage(session.browser, report(...two), {wait: 'h1'});
  assert.match(await textOf(page, 'h1'), /decode step takes 3\.39 times as long/);
  await page.waitForSelector('section[aria-label="Where the time went"] canvas');
  await page.click('section[aria-label="Where the time went"] .as-list summary');
  await page.waitForSelector('section[aria-label="Where the time went"] ol li');
  const lines = await textsOf(page, 'section[aria-label="Where the time went"] ol li');
  const value = (line) => {
    const [, number, unit] = /: ([-+]?[\d.]+) (s|ms|μs|ns)\b/.exec(line);
    return Number(number) * {s: 1e9, ms: 1e6, μs: 1e3, ns: 1}[unit];
  };
  const [normal, ...rest] = lines.map(value);
  const abnormal = rest.pop();
  assert.ok(Math.abs(normal + rest.reduce((a, b) => a + b, 0) - abnormal) < 0.002 * abnormal, lines.join('\n'));
  const facts = await textsOf(page, '.fact dt');
  assert.deepEqual(facts.slice(0, 2), ['Typical decode step', 'Mean decode step']);
  assert.match(await textOf(page, 'section[aria-label="Where the time went"] h2'), /mean decode step, ×3\.59/);
  const heads = await textsOf(page, 'section[aria-label="Why: counters that moved"] thead th button');
  assert.ok(heads.includes('h200-good.tact') && heads.includes('h200-slow.tact'), heads.join()); // names of files as they are
  const why = await textOf(page, 'section[aria-label="Why: counters that moved"]');
  assert.match(why, /host_cpu_usage/);
  assert.match(why, /cause/);
  assert.match(why, /gpu_mem_used.*?[\d.]+ GB/);
  assert.match(await textOf(page, 'section[aria-label="All that changed"] tbody tr'), /idle: host code/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the other run can be shown too, and the flame graph has the colours of a difference', async () => {
  const page = await openPage(session.browser, report(...two), {hash: 'overview?run=1', wait: 'h1'});
  await until(page, () => /77\.919 ms/.test(document.querySelector('h1').textContent));
  await page.evaluate(() => {
    location.hash = 'flame';
  });
  await page.waitForSelector('.diff-more');
  assert.match(await textOf(page, 'main'), /difference to h200-slow\.tact/);
  await page.close();
});

test('ranks: who is late, what is exposed, waits per collective', async () => {
  const page = await openPage(session.browser, report('demo/h200-two-ranks.tact'), {
    hash: 'ranks',
    wait: 'section[aria-label="Collectives"] tbody tr',
  });
  const text = await textOf(page, 'main');
  assert.match(text, /rank 1 came last in 168 of 320 collectives/);
  assert.match(text, /exposed communication/);
  assert.match(await textOf(page, 'section[aria-label="Collectives"] tbody tr'), /gloo:all_reduce.*518\.064 μs.*165\.781 ms/);
  assert.match(await textOf(page, 'section[aria-label="Collectives"] thead'), /Wait each.*Wait in all/);
  await page.evaluate(() => {
    location.hash = 'steps';
  });
  await until(page, () => document.querySelectorAll('.strip').length === 2);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('results of a benchmark: S per shape, and details of a row', async () => {
  const page = await openPage(session.browser, report('baselines/earlier/h200-2026-11-16.json'), {wait: 'tbody tr'});
  assert.match(await textOf(page, '.facts'), /NVIDIA H200/);
  const status = await textsOf(page, 'tbody tr:nth-child(-n+2) td:last-child');
  assert.doesNotMatch(status[0], /ok|skipped/); // the one that is wrong
  assert.match(status[1], /ok/);
  await page.type('.search', 'rms_norm ok');
  await until(page, () => document.querySelector('tbody tr')?.textContent.includes('rms_norm'));
  await page.click('.opener button');
  await page.waitForSelector('tr.detail');
  assert.match(await textOf(page, 'tr.detail'), /checked/);
  await page.evaluate(() => {
    location.hash = 'roofline';
  });
  await until(page, () => document.querySelector('main.part-roofline canvas'));
  await page.evaluate(() => {
    location.hash = 'notes';
  });
  await until(page, () => document.querySelector('main.part-notes tbody tr'));
  assert.deepEqual(page.problems, []);
  await page.close();
});
