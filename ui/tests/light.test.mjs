// A light recording: launches, and "unknown" where no GPU time was recorded. And parts that a page does not have.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {openBrowser, openPage, textOf, textsOf, until} from './support/browser.mjs';
import {report} from './support/reports.mjs';

let session;
before(async () => {
  session = await openBrowser();
});
after(() => session.close());
const recorded = (name) => report(`../tests/golden/inputs/light/${name}.tact`);
const open = (name, options) => openPage(session.browser, recorded(name), options);
const factOf = (page, label) =>
  page.$$eval('.fact', (facts, wanted) => facts.find((f) => f.querySelector('dt').textContent === wanted)?.textContent, label);

test('the overview says what is known, and that the rest is unknown', async () => {
  const page = await open('light', {wait: '.facts'});
  await until(page, () => document.querySelectorAll('.fact').length > 4);
  assert.match(await textOf(page, 'h1'), /This is a light recording: 1,452 launches/);
  assert.deepEqual(await textsOf(page, 'nav a'), ['Overview', 'Steps', 'Timeline', 'Kernels']);
  assert.match(await factOf(page, 'Kernel time'), /unknown/);
  assert.match(await factOf(page, 'GPU busy'), /unknown/);
  assert.match(await factOf(page, 'Launches'), /1,452/);
  assert.match(await factOf(page, 'step on the GPU, median'), /μs/);
  const text = await textOf(page, 'main');
  assert.doesNotMatch(text, /\b0 ns|100\.0%|NaN/);
  assert.match(text, /recorded in light mode/);
  assert.match(text, /sleep_us_1_work/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('graphs have times, so that the device was busy or idle for a known time', async () => {
  const page = await open('graphs', {wait: '.facts'});
  await until(page, () => document.querySelectorAll('.fact').length > 4);
  assert.match(await factOf(page, 'GPU busy'), /%/);
  assert.match(await factOf(page, 'graph 1, 40 nodes on the GPU, median'), /1\.000 ms/);
  await page.close();
});

test('the launches are in place of the kernels, and GPU times beside the steps', async () => {
  const page = await open('light', {hash: 'kernels', wait: 'section[aria-label="Launches"] tbody tr'});
  assert.match(await textOf(page, 'section[aria-label="Launches"] tbody tr'), /1,452.*sleep_us_1_work/);
  assert.match(await textOf(page, 'section[aria-label="Times on the GPU"] tbody tr'), /121.*step/);
  await page.evaluate(() => {
    location.hash = 'steps';
  });
  await until(page, () => [...document.querySelectorAll('.fact dt')].some((dt) => dt.textContent === 'On the GPU, p50'));
  assert.deepEqual(await textsOf(page, 'thead th button'), ['Step', 'Phase', 'Time', 'GPU busy', 'Launches', 'Start']);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a part that the page does not have is named, with those that it has', async () => {
  const page = await open('light', {hash: 'wrong-part', wait: 'main [role=alert]'});
  assert.match(await textOf(page, 'main'), /no part “wrong-part”/);
  assert.deepEqual(await textsOf(page, 'main li a'), ['Overview', 'Steps', 'Timeline', 'Kernels']);
  await page.evaluate(() => {
    location.hash = 'roofline';
  });
  await until(page, () => document.querySelector('main').textContent.includes('no data for “Roofline”'));
  await page.click('main li:nth-child(2) a');
  await until(page, () => document.querySelector('main.part-steps canvas'));
  assert.deepEqual(page.problems, []);
  await page.close();
});
