// What a range of time is made of: kernels (or host slices) by name.

import type {RunModel} from './model';

export interface RangeRow {
  name: number;
  family: string | null;
  count: number;
  total: number;
  longest: number;
}

/** Slices of the device between two times, cut at the ends; host slices only where there is no device work. */
export function rangeTable(model: RunModel, from: number, to: number): {rows: RangeRow[]; total: number} {
  const onDevice = sum(model, from, to, 'stream');
  const rows = onDevice.size > 0 ? onDevice : sum(model, from, to, 'thread');
  const list = [...rows.values()].sort((a, b) => b.total - a.total);
  return {rows: list, total: list.reduce((total, row) => total + row.total, 0)};
}

function sum(model: RunModel, from: number, to: number, kind: string): Map<number, RangeRow> {
  const rows = new Map<number, RangeRow>();
  model.head.tracks.forEach((track, t) => {
    if (track.kind !== kind) return;
    for (const lane of model.lanes[t] ?? []) {
      for (let i = lane.firstEndingAfter(from); i < lane.size && lane.start[i] < to; ++i) {
        const time = Math.min(lane.end[i], to) - Math.max(lane.start[i], from);
        const name = lane.name[i];
        let row = rows.get(name);
        if (!row) rows.set(name, (row = {name, family: model.family(name), count: 0, total: 0, longest: 0}));
        row.count += lane.merged ? lane.merged[i] : 1;
        row.total += time;
        row.longest = Math.max(row.longest, lane.end[i] - lane.start[i]);
      }
    }
  });
  return rows;
}

/** All times of slices with this name. */
export function timesOf(model: RunModel, name: string): Float64Array {
  const wanted = model.head.names.indexOf(name);
  const out: number[] = [];
  for (const lanes of model.lanes) {
    for (const lane of lanes)
      for (let i = 0; i < lane.size; ++i) if (lane.name[i] === wanted) out.push(lane.end[i] - lane.start[i]);
  }
  return Float64Array.from(out);
}
