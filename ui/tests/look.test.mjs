// For everyone: hostile names, dark and light, phones, keyboards, Chinese, no JavaScript.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {openBrowser, openPage, textOf, textsOf, until} from './support/browser.mjs';
import {madeUpRun} from './support/made_up.mjs';
import {madeUp, report} from './support/reports.mjs';

let session;
before(async () => {
  session = await openBrowser();
});
after(() => session.close());
const good = () => report('demo/h200-good.tact');

const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '</script><script>window.hacked=1</script>',
  '"><svg onload=window.hacked=1>',
  'javascript:window.hacked=1',
  '=HYPERLINK("http://x")',
  '\u202egnp.exe',
  'a'.repeat(20000),
  '\u0000\u0007',
  '${window.hacked=1}',
  '<!--',
  '{{constructor.constructor("window.hacked=1")()}}',
];

test('names of kernels are text and nothing else, in every part', async () => {
  const page = await openPage(session.browser, madeUp(madeUpRun({slices: 400, names: hostile}), {title: hostile[0]}), {
    wait: 'h1',
  });
  assert.equal(await textOf(page, 'h1'), hostile[0]);
  for (const part of ['kernels', 'timeline', 'flame', 'overview']) {
    await page.evaluate((name) => {
      location.hash = name;
    }, part);
    await until(
      page,
      (name) => document.querySelector(`main.part-${name} canvas, main.part-${name} table, main.part-${name} h1`),
      part,
    );
    if (part === 'kernels') await page.click('.opener button');
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await page.evaluate(() => window.hacked), undefined, part);
    assert.equal(await page.$('main img, main svg, main script, main a[href^="javascript"]'), null, part);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a table as CSV keeps hostile names harmless', async () => {
  const page = await openPage(session.browser, madeUp(madeUpRun({slices: 10, names: hostile.slice(0, 5)})), {
    hash: 'kernels',
    wait: 'tbody tr',
  });
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: {
        writeText: (text) => {
          window.copied = text;
          return Promise.resolve();
        },
      },
    });
  });
  await page.evaluate(() =>
    [...document.querySelectorAll('.tools button')].find((button) => button.textContent === 'Copy').click(),
  );
  await until(page, () => window.copied);
  const copied = await page.evaluate(() => window.copied);
  assert.ok(copied.includes(`"'=HYPERLINK(""http://x"")"`), copied);
  assert.match(await textOf(page, '.unseen'), /5 rows copied/);
  await page.close();
});

test('dark as the system asks, and by the switch', async () => {
  const page = await openPage(session.browser, good(), {scheme: 'dark', wait: 'h1'});
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await background(), 'rgb(18, 21, 25)');
  await page.click('button[aria-label="Light or dark"]');
  assert.equal(await background(), 'rgb(251, 251, 252)');
  await page.close();
});

test('text can be read in both themes: contrast of at least 4.5', async () => {
  for (const scheme of ['light', 'dark']) {
    const page = await openPage(session.browser, good(), {scheme, wait: '.fact'});
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, scheme);
    const contrast = await page.evaluate(() => {
      const parse = (hex) =>
        [1, 3, 5]
          .map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
          .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
      const style = getComputedStyle(document.documentElement);
      const value = (name) => light(parse(style.getPropertyValue(name).trim()));
      return ['--text', '--muted', '--accent', '--warm', '--good'].flatMap((text) =>
        ['--page', '--surface', '--raised'].map((under) => {
          const [a, b] = [value(text), value(under)].sort((x, y) => y - x);
          return [`${text} on ${under}`, (a + 0.05) / (b + 0.05)];
        }),
      );
    });
    for (const [pair, ratio] of contrast) assert.ok(ratio >= 4.5, `${scheme}: ${pair} ${ratio}`);
    await page.close();
  }
});

test('on a phone the part that is open is on screen in the navigation', async () => {
  const page = await openPage(session.browser, good(), {hash: 'flame', width: 390, height: 844});
  const place = await (await page.$('nav [aria-current]')).boundingBox();
  assert.ok(place.x >= -1 && place.x + place.width <= 391, JSON.stringify(place));
  await page.close();
});

test('on a phone nothing hangs over, and time and name are on screen', async () => {
  for (const hash of ['overview', 'kernels', 'steps']) {
    const page = await openPage(session.browser, good(), {
      hash,
      width: 390,
      height: 844,
      wait: hash === 'overview' ? '.bar' : 'tbody tr',
    });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${hash}: ${width}`);
    if (hash === 'kernels') {
      const name = await (await page.$('tbody tr td:nth-child(4)')).boundingBox();
      assert.ok(name.x + Math.min(name.width, 120) <= 390, JSON.stringify(name));
      assert.match(await textOf(page, 'tbody tr td:nth-child(4)'), /nvjet/);
    }
    await page.close();
  }
});

test('at 1280 px no part hangs over', async () => {
  const page = await openPage(session.browser, report('demo/h200-good.tact', 'demo/h200-slow.tact'), {wait: 'h1'});
  for (const part of ['overview', 'steps', 'timeline', 'kernels', 'roofline', 'flame', 'compare']) {
    await page.evaluate((name) => {
      location.hash = name;
    }, part);
    await until(page, (name) => document.querySelector(`main.part-${name} canvas, main.part-${name} table`), part);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1280, part);
  }
  await page.close();
});

test('all of it works from the keyboard', async () => {
  const page = await openPage(session.browser, good(), {wait: '.bar'});
  await page.keyboard.press('4');
  await page.waitForSelector('main.part-kernels tbody tr');
  await page.focus('.opener button');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForSelector('tr.detail');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, 'solid');
  await page.keyboard.press('1');
  await page.waitForSelector('main.part-overview canvas');
  await page.focus('main canvas');
  await page.keyboard.press('ArrowRight');
  await until(page, () => /Step 0, prefill: 222\.203 ms/.test(document.querySelector('.unseen').textContent));
  await page.keyboard.press('Enter');
  await page.waitForSelector('main.part-timeline canvas');
  await page.close();
});

test('controls have names, and each chart has a list for those who cannot see it', async () => {
  const page = await openPage(session.browser, good(), {wait: '.bar'});
  for (const part of ['overview', 'steps', 'kernels', 'timeline', 'roofline', 'flame']) {
    await page.evaluate((name) => {
      location.hash = name;
    }, part);
    await until(page, (name) => document.querySelector(`main.part-${name} canvas, main.part-${name} tbody`), part);
    const nameless = await page.$$eval('button, input, select, canvas[role], a', (list) =>
      list
        .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.closest('label')))
        .map((e) => e.outerHTML),
    );
    assert.deepEqual(nameless, [], part);
  }
  await page.evaluate(() => {
    location.hash = 'overview';
  });
  await page.waitForSelector('main.part-overview .as-list summary');
  await page.click('.as-list summary');
  await page.waitForSelector('.as-list li');
  assert.equal((await page.$$('.as-list li')).length, 26);
  await page.close();
});

test('Chinese, by the switch', async () => {
  const page = await openPage(session.browser, good(), {wait: '.bar'});
  await page.click('button[aria-label="Switch to Chinese"]');
  assert.deepEqual((await textsOf(page, 'nav a')).slice(0, 4), ['概览', '步', '时间线', '内核']);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
  assert.match(await textOf(page, 'main'), /设备为何空闲/);
  await page.close();
});

test('without JavaScript the plain tables remain', async () => {
  const page = await openPage(session.browser, good(), {javascript: false});
  const text = await textOf(page, '#plain');
  assert.match(text, /decode step takes 19\.433 ms/);
  assert.match(text, /nvjet_sm90_tst_192x192/);
  await page.close();
});
