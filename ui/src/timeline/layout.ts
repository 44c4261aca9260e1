// Which rows the timeline has, from top to bottom, and how high they are.

import type {TimelineTracks as TrackEntry} from '../generated/documents';
import {level} from '../format';
import {texts} from '../texts';
import type {Counter, RunModel} from './model';

export interface Row {
  key: string;
  kind: 'run' | 'group' | 'steps' | 'track' | 'counter';
  model: number;
  y: number;
  height: number;
  label: string;
  title: string;
  /** A second line of the label. */
  note: string;
  /** A group or track that can be folded, and whether it is. */
  folds: boolean;
  folded: boolean;
  track: number;
  lanes: number;
  counter: Counter | null;
}

export const rulerHeight = 26;
export const laneHeight = 18;
export const thinLaneHeight = 14;
const headHeight = 24;
const counterHeight = 36;
const gap = 5;

export const heightOfLane = (track: TrackEntry | undefined): number => (track?.kind === 'thread' ? thinLaneHeight : laneHeight);

function groupsOf(model: RunModel): Array<[string, number[]]> {
  const groups = new Map<string, number[]>();
  const order = model.head.tracks.map((_, i) => i).filter((i) => model.head.tracks[i].count > 0);
  order.sort((a, b) => Number(model.head.tracks[a].kind === 'thread') - Number(model.head.tracks[b].kind === 'thread') || a - b);
  const hosts = new Set(model.head.tracks.map((track) => track.host)).size;
  for (const i of order) {
    const track = model.head.tracks[i];
    const key = [hosts > 1 ? track.host : null, track.group].filter(Boolean).join(' · ');
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  return [...groups];
}

export function layOut(models: RunModel[], names: string[], folded: Set<string>): {rows: Row[]; height: number} {
  const rows: Row[] = [];
  let y = 0;
  const add = (row: Partial<Row> & Pick<Row, 'key' | 'kind' | 'model' | 'height' | 'label'>): void => {
    rows.push({title: row.label, note: '', folds: false, folded: false, track: -1, lanes: 0, counter: null, ...row, y});
    y += row.height;
  };
  models.forEach((model, m) => {
    if (models.length > 1) add({key: `run ${m}`, kind: 'run', model: m, height: headHeight, label: names[m]});
    if (model.steps)
      add({key: `steps ${m}`, kind: 'steps', model: m, height: laneHeight + gap, label: texts().parts.steps, lanes: 1});
    for (const [group, tracks] of groupsOf(model)) {
      const key = `${m} ${group}`;
      add({key, kind: 'group', model: m, height: headHeight, label: group, folds: true, folded: folded.has(key)});
      if (folded.has(key)) continue;
      for (const t of tracks) {
        const track = model.head.tracks[t];
        const trackKey = `${m} track ${t}`;
        const all = model.whole ? Math.max(1, model.lanes[t]?.length ?? 1) : Math.max(1, track.depth);
        const deep = all > 1;
        const lanes = folded.has(trackKey) ? 1 : all;
        add({
          key: trackKey,
          kind: 'track',
          model: m,
          height: lanes * heightOfLane(track) + gap,
          label: track.label,
          track: t,
          lanes,
          title: `${track.label}, ${texts().timeline.slices(track.count)}`,
          folds: deep,
          folded: folded.has(trackKey),
        });
      }
    }
    if (model.counters.length > 0) {
      const key = `${m} counters`;
      add({
        key,
        kind: 'group',
        model: m,
        height: headHeight,
        label: texts().timeline.counters,
        folds: true,
        folded: folded.has(key),
      });
      if (folded.has(key)) return;
      model.counters.forEach((counter, i) =>
        add({
          key: `${m} counter ${i}`,
          kind: 'counter',
          model: m,
          height: counterHeight,
          counter,
          label: counter.name,
          note: `≤ ${level(counter.high, counter.unit)}`,
          title: `${counter.place} ${counter.name} ${counter.unit ? `[${counter.unit}]` : ''}`,
        }),
      );
    }
  });
  return {rows, height: y};
}

export function rowAt(rows: Row[], y: number): Row | null {
  return rows.find((row) => y >= row.y && y < row.y + row.height) ?? null;
}
