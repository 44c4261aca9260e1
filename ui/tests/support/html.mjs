// Puts documents and the bundle into one HTML file, as tactus report does.

import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';

const dist = new URL('../../dist/', import.meta.url);
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** The bundle, and the content security policy that lets only it run. */
export function policy() {
  const script = readFileSync(new URL('page.js', dist), 'utf8');
  const style = readFileSync(new URL('page.css', dist), 'utf8');
  const text = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; connect-src 'none'`;
  return {script, style, text};
}

/** documents: {name: object or Buffer}; head: fields of tactus-head */
export function reportHtml(documents, head = {}) {
  const {script, style, text: policyText} = policy();
  const full = {
    version: 1,
    mode: 'report',
    open: 'overview',
    title: 'report',
    tactus: '0.1.0',
    documents: Object.keys(documents),
    warnings: [],
    ...head,
  };
  const blocks = Object.entries(documents).map(([name, value]) => {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
    const kind = Buffer.isBuffer(value) ? 'bytes' : 'json';
    const text = gzipSync(bytes).toString('base64');
    return `<script type="text/plain" class="tactus-document" data-name="${escape(name)}" data-kind="${kind}">${text}</script>`;
  });
  return `<!doctype html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta name=viewport content="width=device-width, initial-scale=1">
<meta http-equiv=Content-Security-Policy content="${policyText}">
<title>${escape(full.title)}</title>
<style>${style}</style>
</head>
<body>
<main id="plain"><h1>${escape(full.title)}</h1><table><tr><th>kernel<th>time</tr></table></main>
<div id="app"></div>
<script type="application/json" id="tactus-head">${JSON.stringify(full).replaceAll('<', '\\u003c')}</script>
${blocks.join('\n')}
<script>${script}</script>
</body>
</html>
`;
}
