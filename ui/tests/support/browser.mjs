// One headless Chromium per test file.

import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import puppeteer from 'puppeteer-core';

const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
const flags = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--disable-dev-shm-usage',
];

export async function openBrowser(more = []) {
  if (!existsSync(program)) throw new Error(`${program} is not installed`);
  const profile = mkdtempSync(join(tmpdir(), 'tactus-chromium-'));
  const browser = await puppeteer.launch({
    executablePath: program,
    userDataDir: profile,
    args: [...flags, ...more],
    protocolTimeout: 60000,
  });
  return {
    browser,
    async close() {
      await browser.close();
      rmSync(profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
    },
  };
}

/** Opens an address and waits for its first part. Anything on the console or refused by the policy is a failure. */
export async function openPage(
  browser,
  address,
  {hash = '', width = 1280, height = 900, scheme = 'light', javascript = true, wait = 'main h1, main h2, .tl'} = {},
) {
  const page = await browser.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.problems.push(message.text()));
  await page.setJavaScriptEnabled(javascript);
  await page.setViewport({width, height});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
  await page.goto(`${address}${hash ? `#${hash}` : ''}`);
  if (javascript) await page.waitForSelector(wait, {timeout: 10000});
  return page;
}

/** Waits until a function of the page gives something true. */
export const until = (page, test, ...values) => page.waitForFunction(test, {timeout: 10000, polling: 30}, ...values);

export const textOf = (page, selector) => page.$eval(selector, (element) => element.textContent);
export const textsOf = (page, selector) => page.$$eval(selector, (elements) => elements.map((element) => element.textContent));

/** The values of the address after #. */
export const stateOf = async (page) =>
  Object.fromEntries(new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1] ?? ''));
