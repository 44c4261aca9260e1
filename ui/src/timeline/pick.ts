// Which slice is meant: by the pointer, by arrow keys, by row number; and what is known about it.

import {time} from '../format';
import {texts} from '../texts';
import type {Lane} from './lanes';
import {heightOfLane, type Row, rowAt, rulerHeight} from './layout';
import type {RunModel} from './model';
import type {Scene} from './paint';

export interface Pick {
  row: Row;
  model: number;
  depth: number;
  lane: Lane;
  index: number;
  /** Slices in the same pixel. */
  together: number;
}

function laneOf(model: RunModel, row: Row, depth: number): Lane | null {
  return (row.kind === 'steps' ? model.steps : model.lanes[row.track]?.[depth]) ?? null;
}

export function depthAt(scene: Scene, row: Row, y: number): number {
  const height = row.kind === 'steps' ? row.height : heightOfLane(scene.models[row.model].head.tracks[row.track]);
  return Math.min(row.lanes - 1, Math.floor((y - row.y) / height));
}

/** The slice at a place of the canvas. */
export function pickAt(scene: Scene, x: number, y: number): Pick | null {
  const inRows = y - rulerHeight + scene.scroll;
  const row = y < rulerHeight ? null : rowAt(scene.rows, inRows);
  if (!row || row.lanes === 0) return null;
  return pickInLane(scene, row, depthAt(scene, row, inRows), x, 2);
}

/** The slice of a lane at or near a pixel; of several in a pixel the longest. */
export function pickInLane(scene: Scene, row: Row, depth: number, x: number, slack: number): Pick | null {
  const lane = laneOf(scene.models[row.model], row, depth);
  if (!lane) return null;
  const from = scene.view.time(x - slack) - scene.shifts[row.model],
    to = scene.view.time(x + slack) - scene.shifts[row.model];
  const at = scene.view.time(x) - scene.shifts[row.model];
  const first = lane.firstEndingAfter(from);
  const last = lane.firstStartingAt(to, first);
  if (last <= first) return null;
  const exact = lane.firstEndingAfter(at);
  const inside = exact < lane.size && lane.start[exact] <= at && lane.end[exact] - lane.start[exact] > scene.view.nsPerPx;
  const index = inside ? exact : lane.longest(first, last);
  const together = inside ? 1 : last - first;
  return {row, model: row.model, depth, lane, index, together};
}

export function pickRow(scene: Scene, model: number, sliceRow: number): Pick | null {
  const place = scene.models[model]?.placeOf(sliceRow);
  if (!place) return null;
  const row = scene.rows.find((r) => r.kind === 'track' && r.model === model && r.track === place.track);
  if (!row) return null;
  return {
    row,
    model,
    depth: place.depth,
    lane: scene.models[model].lanes[place.track][place.depth],
    index: place.index,
    together: 1,
  };
}

/** The next slice in the lane, or the nearest one in the lane above or below. */
export function step(scene: Scene, pick: Pick, key: string): Pick | null {
  if (key === 'ArrowRight' || key === 'ArrowLeft') {
    const index = pick.index + (key === 'ArrowRight' ? 1 : -1);
    return index >= 0 && index < pick.lane.size ? {...pick, index, together: 1} : null;
  }
  const down = key === 'ArrowDown' ? 1 : -1;
  const middle = (pick.lane.start[pick.index] + pick.lane.end[pick.index]) / 2 + scene.shifts[pick.model];
  const tracks = scene.rows.filter((row) => row.lanes > 0);
  let at = tracks.findIndex((row) => row.key === pick.row.key),
    depth = pick.depth + down;
  while (at >= 0 && at < tracks.length) {
    const row = tracks[at];
    while (depth >= 0 && depth < row.lanes) {
      const found = nearest(scene, row, depth, middle);
      if (found) return found;
      depth += down;
    }
    at += down;
    depth = down > 0 ? 0 : (tracks[at]?.lanes ?? 0) - 1;
  }
  return null;
}

function nearest(scene: Scene, row: Row, depth: number, t: number): Pick | null {
  const lane = laneOf(scene.models[row.model], row, depth);
  if (!lane || lane.size === 0) return null;
  const own = t - scene.shifts[row.model];
  const index = Math.min(lane.size - 1, lane.firstEndingAfter(own));
  return {row, model: row.model, depth, lane, index, together: 1};
}

/** Names of the slices around one on its track, innermost first. */
export function around(model: RunModel, track: number, depth: number, t: number): string[] {
  const names: string[] = [];
  for (let d = depth - 1; d >= 0; --d) {
    const lane = model.lanes[track]?.[d];
    const i = lane ? lane.firstEndingAfter(t) : 0;
    if (lane && i < lane.size && lane.start[i] <= t) names.push(model.head.names[lane.name[i]]);
  }
  return names;
}

export interface Described {
  short: string;
  full: string;
  family: string | null;
  start: number;
  dur: number;
  row: number;
}

export function describe(scene: Scene, pick: Pick): Described {
  const model = scene.models[pick.model];
  const name = pick.lane.name[pick.index];
  return {
    short: model.short(name),
    full: model.head.names[name],
    family: model.family(name),
    start: pick.lane.start[pick.index],
    dur: pick.lane.end[pick.index] - pick.lane.start[pick.index],
    row: pick.lane.row[pick.index],
  };
}

/** What is read out and shown beside the pointer. */
export function sentence(scene: Scene, pick: Pick, more: string[] = []): string {
  const t = texts().timeline;
  const d = describe(scene, pick);
  const lines = [d.short, `${time(d.dur)} ${t.at} ${time(d.start)}`];
  if (pick.lane.merged && pick.lane.merged[pick.index] > 1) lines.push(t.merged(pick.lane.merged[pick.index]));
  else if (pick.together > 1) lines.push(t.together(pick.together));
  if (d.family) lines.push(`${t.family}: ${d.family}`);
  lines.push(...more, pick.row.label);
  return lines.join('\n');
}
