// Slices as typed arrays: one lane per nesting level of a track, so that slices of a lane do not overlap. All that
// drawing needs is a binary search, a difference of two prefix sums, and the longest slice of a range.

import type {Column} from '../data/columns';

export class Lane {
  /** busy[i]: time of all slices before i. */
  private busy: Float64Array | null = null;
  /** levels[k][b]: the longest slice of block b of 8^(k+1) slices. */
  private levels: Int32Array[] | null = null;

  constructor(
      readonly start: Float64Array, readonly end: Float64Array, readonly name: Int32Array, readonly row: Int32Array,
      /** How many slices each one stands for; null: itself. */
      readonly merged: Int32Array | null = null) {}

  get size(): number {
    return this.start.length;
  }

  /** The first slice that ends after t. */
  firstEndingAfter(t: number): number {
    let low = 0, high = this.end.length;
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
    let step = 1, low = i, high = i;
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

  /** Time of the slices i to j (without j). */
  busyBetween(i: number, j: number): number {
    if (!this.busy) {
      const sums = new Float64Array(this.size + 1);
      for (let k = 0; k < this.size; ++k) sums[k + 1] = sums[k] + this.end[k] - this.start[k];
      this.busy = sums;
    }
    return this.busy[j] - this.busy[i];
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
    let best = i, low = i, high = j;
    let level: Int32Array | null = null;
    let depth = 0;
    const look = (from: number, to: number): void => {
      for (let k = from; k < to; ++k) {
        const candidate = level ? level[k] : k;
        if (this.length(candidate) > this.length(best)) best = candidate;
      }
    };
    while (high - low > 16) {
      this.levels ??= this.makeLevels();
      const nextLow = (low + 7) >> 3, nextHigh = high >> 3;
      look(low, nextLow << 3);
      look(nextHigh << 3, high);
      [low, high] = [nextLow, nextHigh];
      level = this.levels[depth++];
    }
    look(low, high);
    return best;
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
  return new Lane(new Float64Array(n), new Float64Array(n), new Int32Array(n), new Int32Array(n), merged ? new Int32Array(n) : null);
}

function copySlice(from: Lane, i: number, to: Lane, k: number): void {
  to.start[k] = from.start[i];
  to.end[k] = from.end[i];
  to.name[k] = from.name[i];
  to.row[k] = from.row[i];
  if (to.merged) to.merged[k] = from.merged![i];
}

/** Lanes of each track, by the column set `slices`. */
export function readLanes(columns: Map<string, Column>, tracks: number): Lane[][] {
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
