// Parts of the source that need no browser, and the bundle itself.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {columnSet} from './support/columns.mjs';
import {folder} from './support/reports.mjs';

const ui = fileURLToPath(new URL('..', import.meta.url));

/** A module of src, as JavaScript. */
async function source(path) {
  const outfile = join(folder, `${path.replaceAll('/', '_')}.mjs`);
  await build({entryPoints: [join(ui, 'src', path)], bundle: true, format: 'esm', outfile, logLevel: 'silent'});
  globalThis.navigator ??= {language: 'en'};
  return import(pathToFileURL(outfile).href);
}

test('the checked-in bundle is what the sources give', () => {
  execFileSync(process.execPath, [join(ui, 'build.mjs'), '--check'], {stdio: 'pipe'});
});

test('the bundle is small', () => {
  const bytes = ['page.js', 'page.css'].reduce((sum, name) => sum + statSync(join(ui, 'dist', name)).size, 0);
  assert.ok(bytes < 400000, String(bytes));
});

test('the sources have correct types, and both languages have all texts', () => {
  execFileSync(process.execPath, [join(ui, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', ui], {stdio: 'pipe'});
});

test('nothing in the bundle makes HTML of a text or runs one', () => {
  const text = readFileSync(join(ui, 'dist/page.js'), 'utf8');
  for (const word of ['.innerHTML=', 'insertAdjacentHTML', 'document.write', 'eval(', 'new Function']) {
    const found = text.split(word).length - 1;
    // Preact sets innerHTML for dangerouslySetInnerHTML, which the sources do not use.
    assert.ok(found === 0 || (word === '.innerHTML=' && found <= 2), `${word} ${found}`);
  }
  assert.ok(!text.slice(text.indexOf('*/')).includes('</script'));
});

test('the list of packages names no registry', () => {
  assert.ok(
    !/https?:\/\/(?!github\.com|opencollective)/.test(
      readFileSync(join(ui, 'package-lock.json'), 'utf8').replace(/"(url|funding)": "[^"]*"/g, ''),
    ),
  );
});

test('columns are read as they were written', async () => {
  const {readColumns} = await source('data/columns.ts');
  const values = [0, 1, 127, 128, 300, 2 ** 40 + 5, 2 ** 52];
  const bytes = columnSet([
    ['a', 1, values],
    ['b', 2, [5, 3, 2 ** 45, 0]],
    ['odd', 3, [1, 2, 255]],
    ['d', 0, [1.5, NaN]],
  ]);
  const columns = readColumns(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  assert.deepEqual([...columns.get('a')], values);
  assert.deepEqual([...columns.get('b')], [5, 3, 2 ** 45, 0]);
  assert.deepEqual([...columns.get('odd')], [1, 2, 255]);
  assert.deepEqual([...columns.get('d')], [1.5, NaN]);
  assert.throws(() => readColumns(new ArrayBuffer(8)));
});

test('byte planes are read, with and without differences', async () => {
  const {readColumns} = await source('data/columns.ts');
  const column = (type, bytes, count) => {
    const view = Buffer.alloc(8 + 4 + 1 + 4 + 8 + bytes.length + 4);
    view.writeUInt32LE(0x31434154, 0);
    view.writeUInt32LE(1, 4);
    view.writeUInt32LE(1, 8);
    view.write('x', 12);
    view[13] = type;
    view.writeUInt32LE(count, 17);
    view.writeUInt32LE(bytes.length, 21);
    Buffer.from(bytes).copy(view, 25);
    return [...readColumns(view.buffer.slice(view.byteOffset, view.byteOffset + view.length)).get('x')];
  };
  assert.deepEqual(column(4, [1, 2, 3, 0, 1, 2], 3), [1, 258, 515]);
  assert.deepEqual(column(5, [4, 3, 2], 3), [2, 0, 1]);
  assert.deepEqual(column(4, [], 0), []);
});

test('a lane finds slices, sums and longest ones as a plain loop does', async () => {
  const {Lane} = await source('timeline/lanes.ts');
  const n = 3000,
    start = new Float64Array(n),
    end = new Float64Array(n);
  let at = 0;
  for (let i = 0; i < n; ++i) {
    start[i] = at;
    end[i] = at + 1 + ((i * 7919) % 1009);
    at = end[i] + (i % 5);
  }
  const lane = new Lane(start, end, new Int32Array(n), new Int32Array(n));
  for (let k = 0; k < 300; ++k) {
    const i = (k * 37) % n,
      j = Math.min(n, i + 1 + ((k * 91) % 900)),
      t = start[i] + 0.5;
    let longest = i,
      sum = 0;
    for (let x = i; x < j; ++x) {
      sum += end[x] - start[x];
      if (end[x] - start[x] > end[longest] - start[longest]) longest = x;
    }
    assert.equal(end[lane.longest(i, j)] - start[lane.longest(i, j)], end[longest] - start[longest]);
    assert.equal(lane.busyBetween(i, j), sum);
    assert.equal(
      lane.firstEndingAfter(t),
      end.findIndex((e) => e > t),
    );
    assert.equal(lane.firstStartingAt(t, 0), i + 1);
  }
});

test('a lane is painted as it is: wide slices whole, short ones merged', async () => {
  const {Lane} = await source('timeline/lanes.ts');
  const {paintLane, pack, wideSlices} = await source('timeline/raster.ts');
  // at 10 ns per pixel: two short ones and a wide one start in pixel 0, a short one ends in pixel 50
  const lane = new Lane(
    Float64Array.of(0, 2, 5, 500),
    Float64Array.of(1, 4, 400, 503),
    Int32Array.of(0, 0, 1, 2),
    new Int32Array(4),
  );
  const colours = Uint32Array.of(pack('#ff0000'), pack('#00ff00'), pack('#0000ff'));
  const line = new Uint32Array(60).fill(pack('#ffffff')),
    window_ = {from: 0, nsPerPixel: 10, width: 60};
  paintLane(lane, window_, colours, line, pack('#ffffff'));
  const wide = wideSlices(lane, window_, 30);
  assert.ok(line.slice(1, 38).every((pixel) => pixel === colours[1]));
  assert.ok(line.slice(41, 50).every((pixel) => pixel === pack('#ffffff')));
  assert.notEqual(line[50], pack('#ffffff'));
  assert.deepEqual(
    wide.map((slice) => slice.name),
    [1],
  );
});

test('a row of pixels that was moved is the same as one that was painted afresh', async () => {
  const {Lane} = await source('timeline/lanes.ts');
  const {LineCache, paintLane, pack} = await source('timeline/raster.ts');
  const n = 5000,
    start = new Float64Array(n),
    end = new Float64Array(n),
    name = new Int32Array(n);
  for (let i = 0, at = 0; i < n; ++i) {
    start[i] = at;
    end[i] = at + 1 + ((i * 7919) % (i % 50 === 0 ? 900 : 23));
    name[i] = i % 3;
    at = end[i] + (i % 4);
  }
  const lane = new Lane(start, end, name, new Int32Array(n)),
    colours = Uint32Array.of(pack('#ff0000'), pack('#00ff00'), pack('#0000ff')),
    background = pack('#ffffff');
  const paint = (part, into) => {
    into.fill(background);
    paintLane(lane, {from: part.first * 10, nsPerPixel: 10, width: part.width}, colours, into, background);
  };
  const cache = new LineCache();
  for (const first of [100, 103, 103, 250, 249, 90, 4000, 4010, 3950]) {
    const moved = [...cache.get('lane', 'key', first, 300, paint)];
    assert.deepEqual(moved, [...new LineCache().get('lane', 'key', first, 300, paint)], String(first));
  }
  for (let i = 0; i < n; i += 37) {
    const next = lane.nextLonger(i, 500);
    assert.equal(
      next,
      end.findIndex((_, k) => k >= i && end[k] - start[k] >= 500) < 0
        ? n
        : end.findIndex((_, k) => k >= i && end[k] - start[k] >= 500),
    );
  }
});

test('search finds every name once, whatever the case', async () => {
  const {NameSearch} = await source('timeline/names.ts');
  const search = new NameSearch(['Alpha GEMM', 'beta', 'gemm gemm', '', 'İstanbul gemm', 'x'.repeat(100)]);
  const {wanted, found} = search.find('Gemm');
  assert.deepEqual([...wanted], [1, 0, 1, 0, 1, 0]);
  assert.equal(found, 3);
  assert.equal(search.find('a\nb').found, 0);
});

test('unknown is a word, and times have units', async () => {
  const format = await source('format.ts');
  assert.equal(format.time(null), 'unknown');
  assert.equal(format.time(2471694), '2.472 ms');
  assert.equal(format.time(12), '12 ns');
  assert.equal(format.share(undefined), 'unknown');
  assert.equal(format.dims([[32, 4096], [], [4096, 8]]), '32×4096, 4096×8');
  assert.equal(format.shortName('void at::native::(anonymous namespace)::kernel<float, ns::Op<2> >(float*, int)'), 'kernel');
  assert.equal(format.shortName('nvjet_sm90_tst'), 'nvjet_sm90_tst');
});
