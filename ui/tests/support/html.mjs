// Puts documents and the bundle into one HTML file, as tactus report does.

import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {gunzipSync, gzipSync} from 'node:zlib';

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

/** Bytes as text, as src/page/packed_text.h has it. */
function packedText(bytes) {
  const character = (value) => String.fromCharCode(value + (value < 27 ? 33 : 34));
  let held = 0,
    count = 0,
    text = '';
  const write = (bits) => {
    const value = held & ((1 << bits) - 1);
    text += character(value % 93) + character(Math.floor(value / 93));
    held >>>= bits;
    count -= bits;
  };
  for (const byte of bytes) {
    held |= byte << count;
    count += 8;
    if (count > 13) write((held & 8191) < 93 * 93 - 8192 ? 14 : 13);
  }
  if (count > 0) write(14);
  return text;
}

/** The content of a packed block of a page. */
export function unpackedBlock(html, attributes) {
  const [, size, text] = new RegExp(`${attributes} data-bytes="(\\d+)">([^<]*)<`).exec(html);
  const value = (at) => text.charCodeAt(at) - (text.charCodeAt(at) > 60 ? 34 : 33);
  const bytes = Buffer.alloc(Number(size));
  let held = 0,
    count = 0,
    filled = 0;
  for (let at = 0; at < text.length; at += 2) {
    const pair = value(at) + 93 * value(at + 1);
    held |= pair << count;
    count += (pair & 8191) < 93 * 93 - 8192 ? 14 : 13;
    for (; count >= 8; count -= 8, held >>>= 8) bytes[filled++] = held & 255;
  }
  return gunzipSync(bytes);
}

export function packedBlock(attributes, content) {
  const bytes = gzipSync(content);
  return `<script type="text/plain" ${attributes} data-bytes="${bytes.length}">${packedText(bytes)}</script>`;
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
  const blocks = Object.entries(documents)
    .filter(([, value]) => Buffer.isBuffer(value))
    .map(([name, value]) => packedBlock(`class="tactus-document" data-name="${escape(name)}"`, value));
  const json = Object.fromEntries(Object.entries(documents).filter(([, value]) => !Buffer.isBuffer(value)));
  blocks.push(packedBlock('id="tactus-json"', Buffer.from(JSON.stringify({strings: [], documents: json}))));
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
