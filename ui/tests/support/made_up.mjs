// Documents of a made-up run: as many slices as wanted, and names as hostile as wanted.

import {columnSet} from './columns.mjs';

const zeros = {
  source: 0,
  operator: 0,
  shape: 0,
  bound: 0,
  by_evidence: {stack: 0, capture: 0, note: 0, rule: 0},
  replayed: 0,
  unattributed: 1,
};

function kernelRow(name, total, instances) {
  return {
    name,
    family: 'other',
    operator: null,
    library: null,
    dtype_in: null,
    dtype_out: null,
    tile: null,
    stages: null,
    cluster: null,
    split_k: false,
    kv_split: false,
    causal: null,
    head_dim: null,
    vector_width: null,
    warps: null,
    era: null,
    source: {file: name, line: 3, function: name, line_kind: null, evidence: 'stack'},
    op: name,
    module: name,
    input_dims: null,
    input_types: null,
    sources: [],
    shapes: [],
    time_pct: 10,
    total_ns: total,
    instances,
    avg_ns: total / instances,
    med_ns: total / instances,
    p90_ns: null,
    p99_ns: null,
    min_ns: 1,
    max_ns: total,
    stddev_ns: 0,
    bound: null,
  };
}

export function kernelsDocument(names) {
  const rows = names.map((name, i) => kernelRow(name, 1e6 * (names.length - i), 10));
  const total = rows.reduce((sum, row) => sum + row.total_ns, 0);
  return {
    total_ns: total,
    coverage: zeros,
    rows,
    families: [{family: 'other', total_ns: total, instances: 10 * names.length, rows: names.length}],
    other_rows: [],
    groups: [],
    structure: {
      passes: null,
      layers: null,
      gemms_per_layer: null,
      sampled_steps: null,
      phases: {},
      decode_missing: false,
      decode_missing_why: null,
      capture_sizes: [],
      longest_kernel_ns: 1,
      identities: [],
      split_rows: [],
      signs: [],
    },
    bounds: {hardware: null, coverage: 0, at_least: 0, s: null, first: null, gains: [], reasons: []},
    hints: [],
    notes: [],
    inconsistencies: [],
    stacks: [],
    answers: [],
    dropped: {},
    repaired: {},
    warnings: [names[0]],
  };
}

/** Slices of `tracks` tracks in turn: short ones, with gaps, some of them nested. */
export function slicesDocuments(count, tracks, names) {
  const perTrack = Math.ceil(count / tracks);
  const out = {start: [], dur: [], name: [], depth: [], row: []};
  let seed = 12345,
    row = 0;
  const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  let span = 0;
  const list = [];
  for (let t = 0; t < tracks; ++t) {
    let at = 0,
      made = 0;
    for (; made < perTrack && row < count; ++made, ++row) {
      const dur = 500 + Math.floor(random() * 4000),
        depth = made % 4 === 3 ? 1 : 0;
      const start = depth === 1 ? at - 400 : at;
      out.start.push(start);
      out.dur.push(depth === 1 ? 300 : dur);
      out.name.push(Math.floor(random() * names.length));
      out.depth.push(depth);
      out.row.push(row);
      if (depth === 0) at += dur + Math.floor(random() * 1500);
    }
    span = Math.max(span, at);
    list.push({
      id: t,
      kind: t % 2 ? 'thread' : 'stream',
      label: `${t % 2 ? 'thread' : 'stream'} ${t}`,
      group: t % 2 ? 'process 1' : 'GPU 0',
      host: null,
      rank: null,
      device: t % 2 ? null : 0,
      pid: 1,
      tid: t,
      depth: 2,
      count: made,
    });
  }
  return {
    timeline: {
      origin_ns: '0',
      start_ns: 0,
      span_ns: span,
      names,
      short_names: names.map(() => ''),
      families: ['gemm', 'attention', 'norm', 'copy'],
      family_of_name: names.map((_, i) => (i % 5) - 1),
      tracks: list,
      counters: [],
      tiles: false,
      whole_from_ns: 0,
      whole_to_ns: span,
      warnings: [],
    },
    slices: columnSet([
      ['track', 1, list.map((t) => t.id)],
      ['run', 1, list.map((t) => t.count)],
      ['start', 2, out.start],
      ['dur', 1, out.dur],
      ['name', 1, out.name],
      ['depth', 3, out.depth],
      ['row', 2, out.row],
    ]),
    links: columnSet([
      ['from', 2, []],
      ['to', 2, []],
    ]),
  };
}

/** A whole report: slices, kernels, overview. */
export function madeUpRun({slices = 1000, tracks = 4, names = ['a kernel']}) {
  const {timeline, slices: bytes, links} = slicesDocuments(slices, tracks, names);
  return {
    runs: [{index: 0, name: names[0], kind: 'trace', holds: 'kernels', rows: slices, span_ns: timeline.span_ns, live: false, generation: 0}],
    'run/0/overview': {sentence: names[0], lines: [{label: names[0], text: names[0]}], next: [names[0]], remarks: [], warnings: []},
    'run/0/kernels': kernelsDocument(names.slice(0, 2000)),
    'run/0/timeline': timeline,
    'run/0/slices': bytes,
    'run/0/links': links,
    'run/0/flame': {
      kind: 'ops',
      nodes: names.slice(0, 500).map((name) => ({name, parent: -1, launches: 1, device_ns: 10})),
      warnings: [],
    },
  };
}
