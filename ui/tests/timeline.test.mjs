// The timeline moves, searches, selects.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {openBrowser, openPage, stateOf, textOf, until} from './support/browser.mjs';
import {report} from './support/reports.mjs';

let session;
before(async () => {
  session = await openBrowser();
});
after(() => session.close());

async function open(hash = 'timeline', runs = ['demo/h200-good.tact']) {
  const page = await openPage(session.browser, report(...runs), {hash, wait: '.tl canvas'});
  return {page, box: await restingBox(page)};
}

/** Where the timeline lies once nothing above it moves it any more. */
async function restingBox(page) {
  let box = null;
  for (let equal = 0; equal < 3; ) {
    await new Promise((done) => setTimeout(done, 100));
    const next = await (await page.$('.tl-main')).boundingBox();
    equal = JSON.stringify(next) === JSON.stringify(box) ? equal + 1 : 0;
    box = next;
  }
  return box;
}

/** The window after it came to rest. */
async function window_(page, old) {
  await until(page, (hash) => location.hash.includes('from=') && location.hash !== hash, old ?? '');
  await new Promise((resolve) => setTimeout(resolve, 400));
  const {from, to} = await stateOf(page);
  return {from: Number(from), to: Number(to), hash: await page.evaluate(() => location.hash)};
}

test('W zooms in, S out, A and D move, R shows all', async () => {
  const {page} = await open('timeline?from=200000000&to=400000000');
  await page.focus('.tl-main');
  const hold = async (key) => {
    const old = await page.evaluate(() => location.hash);
    await page.keyboard.down(key);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await page.keyboard.up(key);
    return window_(page, old);
  };
  const inside = await hold('w');
  assert.ok(inside.from > 200e6 && inside.to < 400e6);
  const right = await hold('d');
  assert.ok(right.from > inside.from && Math.abs(right.to - right.from - (inside.to - inside.from)) < 10);
  assert.ok((await hold('a')).from < right.from);
  const out = await hold('s');
  assert.ok(out.to - out.from > inside.to - inside.from);
  const all = await hold('r');
  assert.ok(all.from <= 0 && all.to >= 947e6);
  await page.close();
});

test('the wheel zooms around the pointer, and a drag moves', async () => {
  const {page, box} = await open('timeline?from=200000000&to=400000000');
  await page.mouse.move(box.x + box.width / 4, box.y + 60);
  await page.mouse.wheel({deltaY: -400});
  const zoomed = await window_(page, '#timeline?from=200000000&to=400000000');
  const fixed = zoomed.from + (zoomed.to - zoomed.from) / 4;
  assert.ok(Math.abs(fixed - 250e6) < 1e6, String(fixed));
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 4 + 100, box.y + 60, {steps: 3});
  await page.mouse.up();
  const dragged = await window_(page, zoomed.hash);
  assert.ok(dragged.from < zoomed.from);
  await page.close();
});

test('the pixels change with the window', async () => {
  const {page} = await open();
  const picture = () =>
    page.$eval('.tl-main', (canvas) => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      let sum = 0;
      for (let i = 0; i < data.length; i += 4) {
        colours.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
        sum = (sum * 31 + data[i] + 7 * data[i + 1]) % 1e9;
      }
      return {colours: colours.size, sum};
    });
  const first = await picture();
  assert.ok(first.colours > 30, `${first.colours} colours`);
  await page.focus('.tl-main');
  await page.keyboard.down('w');
  await new Promise((resolve) => setTimeout(resolve, 150));
  await page.keyboard.up('w');
  assert.notEqual((await picture()).sum, first.sum);
  await page.close();
});

test('a click selects a kernel: name, op, bound, who launched it', async () => {
  const {page} = await open('timeline?from=252000000&to=253500000');
  // The slices may come a moment after the frame.
  const isSelected = () => document.querySelector('main .panel')?.textContent.includes('launched by');
  for (let tries = 0; tries < 20 && !(await page.evaluate(isSelected)); ++tries) {
    const {x, y} = await restingBox(page);
    await page.mouse.click(x + 480, y + 84);
    await new Promise((done) => setTimeout(done, 600));
  }
  await until(page, isSelected);
  const text = await textOf(page, 'main .panel');
  assert.match(text, /nvjet_sm90_tst/);
  assert.match(text, /aten::mm/);
  assert.match(text, /S of this kernel/);
  assert.match(text, /cuLaunchKernelEx/);
  const {sel} = await stateOf(page);
  assert.ok(Number(sel) >= 0);
  await page.click('.label-lines .link');
  await until(page, () => document.querySelector('main .panel h2 small')?.textContent.startsWith('thread'));
  await page.close();
});

test('arrow keys select slices, and the selection is read out', async () => {
  const {page} = await open('timeline?from=252000000&to=253500000');
  await page.focus('.tl-main');
  const said = () => textOf(page, '.unseen');
  await page.keyboard.press('ArrowRight');
  await until(page, () => document.querySelector('.unseen').textContent.includes('decode 3'));
  await page.keyboard.press('ArrowDown');
  await until(page, () => document.querySelector('.unseen').textContent.includes('stream 7'));
  const first = await said();
  await page.keyboard.press('ArrowRight');
  await until(page, (text) => document.querySelector('.unseen').textContent !== text, first);
  assert.match(await said(), /stream 7/);
  await page.keyboard.press('m');
  await page.waitForSelector('section[aria-label="Selected range"]');
  await page.keyboard.press('Escape');
  await until(page, () => !document.querySelector('section[aria-label="Selected range"]'));
  await page.close();
});

test('a range gives its kernel table', async () => {
  const {page, box} = await open();
  await page.mouse.move(box.x + 100, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 12, {steps: 4});
  await page.mouse.up();
  await page.waitForSelector('section[aria-label="Selected range"] tbody tr');
  const rows = await page.$$eval('section[aria-label="Selected range"] tbody tr', (list) => list.map((row) => row.textContent));
  assert.match(rows[0], /nvjet/);
  assert.ok(rows.length >= 15);
  await page.close();
});

test('a search counts what it found and walks through it', async () => {
  const {page} = await open();
  await page.keyboard.press('/');
  await page.keyboard.type('cudnn_generated');
  await until(page, () => /416 slices, 2 names/.test(document.querySelector('.tools [role=status]')?.textContent));
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('main .panel')?.textContent.includes('cudnn_generated'));
  const first = await stateOf(page);
  await page.keyboard.press('Enter');
  await until(page, (sel) => !location.hash.includes(`sel=${sel}`), first.sel);
  await page.close();
});

test('groups and tracks fold', async () => {
  const {page} = await open();
  const rows = () => page.$$eval('.tl-label', (list) => list.length);
  const before = await rows();
  await page.click('.tl-group button');
  await until(page, (n) => document.querySelectorAll('.tl-label').length < n, before);
  await page.close();
});

test('two runs lie above each other, step against step', async () => {
  const {page} = await open('timeline', ['demo/h200-good.tact', 'demo/h200-slow.tact']);
  assert.deepEqual(await page.$$eval('.tl-run', (list) => list.map((row) => row.textContent)), [
    'h200-good.tact',
    'h200-slow.tact',
  ]);
  await page.click('.align button:last-child');
  await until(page, () => document.querySelector('.align').textContent.includes('aligned at step 1'));
  const aligned = await window_(page, '#timeline');
  assert.ok(aligned.from > 200e6 && aligned.to - aligned.from < 200e6);
  await page.close();
});
