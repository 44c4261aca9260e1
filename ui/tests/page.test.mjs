// The page opens, and its tables do what they should.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {openBrowser, openPage, stateOf, textOf, textsOf, until} from './support/browser.mjs';
import {report} from './support/reports.mjs';

let session;
before(async () => {
  session = await openBrowser();
});
after(() => session.close());
const open = (options) => openPage(session.browser, report('demo/h200-good.tact'), options);

test('a report opens at its overview, without errors and without the plain tables', async () => {
  const page = await open();
  assert.match(await textOf(page, 'h1'), /decode step takes 19\.433 ms/);
  assert.deepEqual(await textsOf(page, 'nav a'), ['Overview', 'Steps', 'Timeline', 'Kernels', 'Roofline', 'Flame graph']);
  await until(page, () => document.querySelectorAll('.bar').length > 10);
  assert.equal(await page.$('#plain'), null);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('every part shows something and breaks nothing', async () => {
  const page = await open();
  for (const part of ['steps', 'timeline', 'kernels', 'roofline', 'flame', 'overview']) {
    await page.click(`nav a[href^="#${part}"]`);
    await until(page, (name) => document.querySelector(`main.part-${name} canvas, main.part-${name} table`), part);
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.deepEqual(page.problems, [], part);
  }
  await page.close();
});

test('numbers have a definition on hover', async () => {
  const page = await open();
  await until(page, () => document.querySelectorAll('.fact').length > 4);
  const titles = await page.$$eval('.fact', (facts) => facts.map((fact) => fact.title));
  assert.ok(
    titles.every((title) => title.length > 8),
    titles.join('|'),
  );
  await page.close();
});

test('search finds kernels by words of any column, and the address keeps the state', async () => {
  const page = await open({hash: 'kernels', wait: 'tbody tr'});
  const all = (await page.$$('tbody tr')).length;
  await page.keyboard.press('/');
  await page.keyboard.type('gemm cublas');
  await until(page, (n) => document.querySelectorAll('tbody tr').length < n, all);
  const families = await textsOf(page, 'tbody tr td:nth-child(9)');
  assert.ok(families.length > 0 && families.every((family) => /gemm|splitk/.test(family)), families.join());
  assert.equal((await stateOf(page)).q, 'gemm cublas');
  await page.reload();
  await page.waitForSelector('tbody tr');
  assert.equal((await page.$$('tbody tr')).length, families.length);
  await page.close();
});

test('a click on a header sorts, and another one turns the order', async () => {
  const page = await open({hash: 'kernels', wait: 'tbody tr'});
  const counts = async () => (await textsOf(page, 'tbody tr td:nth-child(5)')).map((text) => Number(text.replaceAll(',', '')));
  const header = 'thead th:nth-child(5) button';
  await page.click(header);
  await until(page, () => document.querySelector('th[aria-sort=descending]'));
  const down = await counts();
  assert.deepEqual(
    down,
    [...down].sort((a, b) => b - a),
  );
  await page.click(header);
  await until(page, () => document.querySelector('th[aria-sort=ascending]'));
  const up = await counts();
  assert.deepEqual(
    up,
    [...up].sort((a, b) => a - b),
  );
  assert.equal((await stateOf(page)).sort, 'instances');
  await page.close();
});

test('columns can be chosen, and a link restores them', async () => {
  const page = await open({hash: 'kernels?cols=time_pct.name.module.library', wait: 'tbody tr'});
  assert.deepEqual(await textsOf(page, 'thead th button'), ['Time', 'Kernel', 'Module', 'Library']);
  await page.click('.menu summary');
  await page.click('.menu label:nth-child(2) input');
  await until(page, () => document.querySelectorAll('thead th button').length === 5);
  assert.equal((await stateOf(page)).cols, 'time_pct.total_ns.name.module.library');
  await page.close();
});

test('a row opens to the full name, shapes, sources and the spread of its times', async () => {
  const page = await open({hash: 'kernels?q=elementwise', wait: 'tbody tr'});
  await page.click('.opener button');
  await page.waitForSelector('tr.detail canvas');
  const detail = await textOf(page, 'tr.detail');
  assert.match(detail, /void at::native::/);
  assert.match(detail, /Launched from/);
  assert.match(detail, /aten::mul/);
  assert.equal(await page.$eval('.opener button', (button) => button.getAttribute('aria-expanded')), 'true');
  await page.close();
});

test('a phase has its own table, and rows can be folded by family', async () => {
  const page = await open({hash: 'kernels?phase=decode', wait: 'tbody tr'});
  const decode = await textOf(page, 'tbody tr td:nth-child(3)');
  await page.click('.choice button:first-child');
  const total = (text) => Number(text.replace(/[^\d.]/g, ''));
  assert.ok(total(decode) < 158);
  await page.evaluate(() => {
    location.hash = 'kernels?by=family';
  });
  await until(page, () => document.querySelector('tbody td.wide')?.textContent === 'gemm');
  await page.close();
});

test('a step opens in the timeline', async () => {
  const page = await open({hash: 'steps', wait: 'tbody tr'});
  assert.ok((await textsOf(page, '.pill')).some((text) => text.includes('outlier')));
  await page.click('tbody tr:nth-child(4) .link');
  await page.waitForSelector('.tl canvas');
  const {from, to} = await stateOf(page);
  assert.ok(Number(from) > 225e6 && Number(to) < 275e6, `${from} ${to}`);
  await page.close();
});

test('the what-if slider says what would be saved', async () => {
  const page = await open({hash: 'roofline', wait: '.slider input'});
  const saved = async () => parseFloat(await textOf(page, '.fact:nth-child(2) dd'));
  const before = await saved();
  await page.focus('.slider input');
  for (let i = 0; i < 10; ++i) await page.keyboard.press('ArrowRight');
  await until(page, (text) => document.querySelector('.fact:nth-child(2) dd').textContent !== text, String(before));
  assert.ok((await saved()) > before);
  await page.close();
});

test('the flame graph zooms into a box', async () => {
  const page = await open({hash: 'flame', wait: '.chart canvas'});
  const height = await page.$eval('.chart canvas', (canvas) => canvas.clientHeight);
  const box = await (await page.$('.chart canvas')).boundingBox();
  await page.mouse.click(box.x + box.width - 200, box.y + 10);
  await until(page, () => [...document.querySelectorAll('.tools button')].some((button) => button.textContent === 'All'));
  assert.ok((await page.$eval('.chart canvas', (canvas) => canvas.clientHeight)) <= height);
  await page.close();
});
