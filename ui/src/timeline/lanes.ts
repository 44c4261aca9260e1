// Slices as typed arrays: one lane per nesting level of a track, so that slices of a lane do not overlap. All that
// drawing needs is a binary search, a difference of two prefix sums, and the longest slice of a range.

import type {Column} from '../data/columns';

export class Lane {
  /** busy[i]: time of all slices before i. */
  private busy: Float64Array | null = null;
  /** levels[k][b]: the longest slice of block b of 8^(k+1) slices. */
  private levels: Int32Array[] | null = null;

  constructor(
    readonly start: Float64Array,
    readonly end: Float64Array,
    readonly name: Int32Array,
    readonly row: Int32Array,
    /** How many slices each one stands for; null: itself. */
    readonly merged: Int32Array | null = null,
  ) {}

  get size(): number {
    return this.start.length;
  }

  /** The first slice that ends after t. */
  firstEndingAfter(t: number): number {
    let low = 0,
      high = this.end.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > t) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The first slice from i on that starts at t or later; looks near i first. */
  firstStartingAt(t: number, i: number): number {
    const {start} = this;
    let step = 1,
      low = i,
      high = i;
    while (high < start.length && start[high] < t) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    if (high > start.length) high = start.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] >= t) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Makes the sums and the tree that drawing needs, before it needs them. */
  prepare(): void {
    this.sums();
    this.levels ??= this.makeLevels();
  }

  get prepared(): boolean {
    return this.levels !== null && this.busy !== null;
  }

  private sums(): Float64Array {
    if (!this.busy) {
      this.busy = new Float64Array(this.size + 1);
      for (let k = 0; k < this.size; ++k) this.busy[k + 1] = this.busy[k] + this.end[k] - this.start[k];
    }
    return this.busy;
  }

  /** Time of the slices i to j (without j). */
  busyBetween(i: number, j: number): number {
    const sums = this.busy ?? this.sums();
    return sums[j] - sums[i];
  }

  private length(i: number): number {
    return this.end[i] - this.start[i];
  }

  private makeLevels(): Int32Array[] {
    const levels: Int32Array[] = [];
    let below: Int32Array | null = null;
    let size = this.size;
    while (size > 8) {
      const blocks: number = Math.ceil(size / 8);
      const level: Int32Array = new Int32Array(blocks);
      for (let b = 0; b < blocks; ++b) {
        let best: number = below ? below[8 * b] : 8 * b;
        const stop = Math.min(8 * b + 8, size);
        for (let k = 8 * b + 1; k < stop; ++k) {
          const candidate: number = below ? below[k] : k;
          if (this.length(candidate) > this.length(best)) best = candidate;
        }
        level[b] = best;
      }
      levels.push(level);
      below = level;
      size = blocks;
    }
    return levels;
  }

  /** The longest of the slices i to j (without j). */
  longest(i: number, j: number): number {
    const {start, end} = this;
    let best = i,
      most = end[i] - start[i],
      low = i,
      high = j,
      depth = 0;
    let level: Int32Array | null = null;
    while (low < high) {
      const more = high - low > 16;
      const stop = more ? (low + 7) & ~7 : high;
      for (let k = low; k < stop; ++k) {
        const candidate = level ? level[k] : k;
        const length = end[candidate] - start[candidate];
        if (length > most) [best, most] = [candidate, length];
      }
      if (!more) break;
      for (let k = high & ~7; k < high; ++k) {
        const candidate = level ? level[k] : k;
        const length = end[candidate] - start[candidate];
        if (length > most) [best, most] = [candidate, length];
      }
      this.levels ??= this.makeLevels();
      low = stop >> 3;
      high >>= 3;
      level = this.levels[depth++];
    }
    return best;
  }

  /** The next slice from i on that is at least so long; the number of slices if there is none. */
  nextLonger(i: number, length: number): number {
    this.levels ??= this.makeLevels();
    const {levels} = this;
    let at = i,
      depth = 0; // at: a place in the level `depth` (0: the slices themselves)
    const longEnough = (k: number, d: number): boolean => this.length(d === 0 ? k : levels[d - 1][k]) >= length;
    const sizeOf = (d: number): number => (d === 0 ? this.size : levels[d - 1].length);
    while (at < sizeOf(depth)) {
      if (longEnough(at, depth)) {
        if (depth === 0) return at;
        at *= 8;
        depth--;
        continue;
      }
      at++;
      while ((at & 7) === 0 && depth < levels.length) {
        at >>= 3;
        depth++;
      }
    }
    return this.size;
  }

  /** The slices whose names are wanted. */
  filter(wanted: Uint8Array): Lane | null {
    let n = 0;
    for (let i = 0; i < this.size; ++i) n += wanted[this.name[i]];
    if (n === 0) return null;
    const out = emptyLane(n, this.merged !== null);
    for (let i = 0, k = 0; i < this.size; ++i) if (wanted[this.name[i]]) copySlice(this, i, out, k++);
    return out;
  }
}

function emptyLane(n: number, merged: boolean): Lane {
  return new Lane(
    new Float64Array(n),
    new Float64Array(n),
    new Int32Array(n),
    new Int32Array(n),
    merged ? new Int32Array(n) : null,
  );
}

function copySlice(from: Lane, i: number, to: Lane, k: number): void {
  to.start[k] = from.start[i];
  to.end[k] = from.end[i];
  to.name[k] = from.name[i];
  to.row[k] = from.row[i];
  if (to.merged) to.merged[k] = from.merged![i];
}

/** Places of slices, by name: the order in which a report holds their times. */
function placesByName(name: Column): Int32Array {
  let most = 0;
  for (const n of name) most = Math.max(most, n);
  const next = new Int32Array(most + 2);
  for (const n of name) ++next[n + 1];
  for (let n = 1; n < next.length; ++n) next[n] += next[n - 1];
  const places = new Int32Array(name.length);
  for (let i = 0; i < name.length; ++i) places[next[name[i]]++] = i;
  return places;
}

/** Puts times that are in the order of names (src/page/slice_bytes.cc) where the slices are. */
function restoreTimes(columns: Map<string, Column>): void {
  const [gap, dur, name, depth, run] = ['gap', 'dur', 'name', 'depth', 'run'].map((key) => columns.get(key)!);
  const start = new Float64Array(gap.length),
    length = new Float64Array(gap.length);
  placesByName(name).forEach((place, i) => {
    start[place] = gap[i];
    length[place] = dur[i];
  });
  let i = 0;
  for (const count of run) {
    const ends = new Float64Array(256);
    for (let last = -1, before = 0, end = i + count; i < end; ++i) {
      start[i] += depth[i] > last ? before : ends[depth[i]];
      before = start[i];
      last = depth[i];
      ends[last] = before + length[i];
    }
  }
  columns.set('start', start);
  columns.set('dur', length);
  columns.set('row', Int32Array.from(start, (_, place) => place));
}

/** Lanes of each track, by the column set `slices`. */
export function readLanes(columns: Map<string, Column>, tracks: number): Lane[][] {
  if (columns.has('gap')) restoreTimes(columns);
  const column = (name: string): Column => columns.get(name) ?? new Float64Array(0);
  const [track, run, start, dur] = ['track', 'run', 'start', 'dur'].map(column);
  const [name, depth, row] = ['name', 'depth', 'row'].map(column);
  const merged = columns.get('merged');
  const counts = Array.from({length: tracks}, () => new Map<number, number>());
  const eachRun = (visit: (t: number, from: number, to: number) => void): void => {
    for (let r = 0, at = 0; r < track.length; at += run[r], ++r) if (track[r] < tracks) visit(track[r], at, at + run[r]);
  };
  eachRun((t, from, to) => {
    for (let i = from; i < to; ++i) counts[t].set(depth[i], (counts[t].get(depth[i]) ?? 0) + 1);
  });
  const lanes = counts.map((byDepth) => {
    const out: Lane[] = [];
    const deepest = byDepth.size === 0 ? -1 : Math.max(...byDepth.keys());
    for (let d = 0; d <= deepest; ++d) out.push(emptyLane(byDepth.get(d) ?? 0, merged !== undefined));
    return out;
  });
  const filled = lanes.map((list) => new Int32Array(list.length));
  eachRun((t, from, to) => {
    for (let i = from; i < to; ++i) {
      const lane = lanes[t][depth[i]];
      const k = filled[t][depth[i]]++;
      lane.start[k] = start[i];
      lane.end[k] = start[i] + dur[i];
      lane.name[k] = name[i];
      lane.row[k] = row[i];
      if (lane.merged) lane.merged[k] = merged![i];
    }
  });
  return lanes;
}
