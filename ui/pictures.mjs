// Makes the pictures of docs/page and the README. usage: ui/pictures.mjs [TACTUS]
//
// Needs npm ci and Chromium. The timeline is that of a recording with Python stacks, which is not part of this
// repository: without it (TACTUS_SHARED, or a folder shared beside the checkout), its picture stays as it is.

import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {openBrowser} from './tests/support/browser.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const tool = process.argv[2] ?? join(root, 'build/release/tactus');
const shared = process.env.TACTUS_SHARED ?? join(root, '../shared');
const demo = (name) => join(root, 'data/demo', name);
const pictures = [
  {name: 'overview', runs: [demo('h200-good.tact')], height: 900},
  {name: 'compare', runs: [demo('h200-good.tact'), demo('h200-slow.tact')], height: 970},
  {name: 'timeline', runs: [join(shared, 'data/traces/with_stack.json.gz')], height: 860},
];

const folder = mkdtempSync(join(tmpdir(), 'tactus-pictures-'));
const session = await openBrowser();
try {
  for (const {name, runs, height} of pictures) {
    if (!runs.every(existsSync)) {
      console.log(`${name}: ${runs.join(' ')} is not here`);
      continue;
    }
    const page_ = join(folder, `${name}.html`);
    execFileSync(tool, ['report', ...runs, '-o', page_, '-q']);
    const page = await session.browser.newPage();
    await page.setViewport({width: 1280, height});
    await page.goto(`file://${page_}#${name}`);
    await page.waitForSelector('main canvas, .tl canvas');
    await new Promise((resolve) => setTimeout(resolve, 1500)); // until everything is drawn
    await page.screenshot({path: join(root, `docs/page/${name}.png`)});
    console.log(name);
  }
} finally {
  await session.close();
  rmSync(folder, {recursive: true});
}
