// Builds dist/page.js, dist/page.css and dist/loader.js. usage: build.mjs [--check | OUTPUT FOLDER]
//
// --check builds into memory and says whether dist/ is the same.

import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
let esbuild;
try {
  esbuild = await import('esbuild');
} catch {
  console.error('build: esbuild is not installed (npm ci in ui)');
  process.exit(77);
}

/** Leaves meanings out of the bundle that the page never shows: those of other documents, and those that say nothing. */
const fewerMeanings = {
  name: 'fewer meanings',
  setup(build) {
    build.onLoad({filter: /generated\/documents\.ts$/}, ({path}) => {
      const [types, meanings] = readFileSync(path, 'utf8').split(/^(?=export const fieldMeanings)/m);
      const unused = /^  (KernelPairs|Decoded|Patterns|Imported|Mined|Checks|Recorded|Schema|PageHead|Search): \{\n[^]*?^  \},\n/gm;
      return {contents: types + meanings.replace(unused, '').replace(/^.*"one of them".*\n/gm, ''), loader: 'ts'};
    });
  },
};

const result = await esbuild.build({
  plugins: [fewerMeanings],
  absWorkingDir: here,
  entryPoints: {page: 'src/main.tsx', loader: 'src/loader.ts'},
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  banner: {js: '/* The page of Tactus, Apache-2.0. Holds Preact (MIT, Jason Miller). Built by ui/build. */'},
  write: false,
});

const [option] = process.argv.slice(2);
const files = result.outputFiles.map((file) => [file.path.split('/').pop(), fix(file.text)]);

/** The bundle stands inside a script element, which these would end or hide. */
function fix(text) {
  return text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

if (option === '--check') {
  const differing = files.filter(([name, text]) => readFileSync(join(here, 'dist', name), 'utf8') !== text);
  for (const [name] of differing) console.error(`build: dist/${name} is not what the sources give; run ui/build`);
  process.exit(differing.length === 0 ? 0 : 1);
}
const out = option ?? join(here, 'dist');
mkdirSync(out, {recursive: true});
for (const [name, text] of files) {
  writeFileSync(join(out, name), text);
  console.log(`${name} ${Buffer.byteLength(text)} bytes`);
}
