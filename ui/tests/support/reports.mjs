// Reports for the tests: real ones by tactus report, and made-up ones for what no recording has.

import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {policy, reportHtml, unpackedBlock} from './html.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const folder = mkdtempSync(join(tmpdir(), 'tactus-page-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
export const tool = [process.env.TACTUS, join(root, 'build/release/tactus')].find((path) => path && existsSync(path));

let made = 0;

function write(html) {
  const path = join(folder, `report-${made++}.html`);
  writeFileSync(path, html);
  return `file://${path}`;
}

/** The page under test is ui/dist: a tool that was built with another bundle gets this one. */
function withBundle(html) {
  const {script, style, text} = policy();
  if (html.includes(style) && unpackedBlock(html, 'id="tactus-bundle"').toString() === script) return html;
  const at = html.indexOf('<script type="text/plain" id="tactus-bundle"');
  return (
    html
      .slice(0, at)
      .replace(/content="default-src[^"]*"/, () => `content="${text}"`)
      .replace(/<style>[^]*?<\/style>/, () => `<style>${style}</style>`) + `<script>${script}</script></body></html>`
  );
}

const kept = new Map();

/** Address of a report on recordings of data/. */
export function report(...runs) {
  const key = runs.join(' ');
  if (!kept.has(key)) {
    const out = join(folder, `tool-${made++}.html`);
    execFileSync(tool, ['report', ...runs.map((run) => join(root, 'data', run)), '-o', out, '-q'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    kept.set(key, write(withBundle(readFileSync(out, 'utf8'))));
  }
  return kept.get(key);
}

/** Address of a report with these documents. */
export const madeUp = (documents, head) => write(reportHtml(documents, head));
