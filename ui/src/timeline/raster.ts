// Slices and counters as pixels. A row of pixels per lane is made once and copied for the lane's height, so that the cost of
// a frame depends on the number of pixels, not on the number of slices.

import type {Lane} from './lanes';
import type {Counter} from './model';

/** #rrggbb as the number that ImageData wants (little endian: a, b, g, r). */
export function pack(hex: string): number {
  const value = parseInt(hex.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

/** From b (0) to a (256). */
export function blend(a: number, b: number, part: number): number {
  const rest = 256 - part;
  const red = ((a & 0xff) * part + (b & 0xff) * rest) >> 8;
  const green = (((a >> 8) & 0xff) * part + ((b >> 8) & 0xff) * rest) >> 8;
  const blue = (((a >> 16) & 0xff) * part + ((b >> 16) & 0xff) * rest) >> 8;
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** A slice that is wide enough for its name. */
export interface Wide {
  name: number;
  left: number;
  right: number;
}

export interface Window {
  /** Time of the first pixel, a whole number of pixels from zero, so that panning does not regroup slices. */
  from: number;
  nsPerPixel: number;
  width: number;
}

const leastDensity = 90; // of 256: even a lonely short slice can be seen

/**
 * Paints a lane into one row of pixels. Slices below a pixel are merged: the colour of the longest, as dense as they are busy.
 * A pixel depends on its place in time only, so that a row may be painted piece by piece.
 */
export function paintLane(lane: Lane, window: Window, colourOf: Uint32Array, line: Uint32Array, background: number): void {
  const {from, nsPerPixel, width} = window;
  const {start, end, name} = lane;
  const to = from + nsPerPixel * width;
  let i = lane.firstEndingAfter(from);
  while (i < start.length && start[i] < to) {
    const left = (start[i] - from) / nsPerPixel;
    const right = (end[i] - from) / nsPerPixel;
    if (right - left >= 1.5) {
      const x0 = Math.round(left),
        x1 = Math.round(right);
      line.fill(colourOf[name[i]], Math.max(0, x0), Math.max(0, Math.min(width, x1 - x0 > 3 ? x1 - 1 : Math.max(x1, x0 + 1))));
      ++i;
      continue;
    }
    const x = Math.floor(left);
    let stop = lane.firstStartingAt(from + (x + 1) * nsPerPixel, i + 1);
    // A wide one can only be the last of those that start in this pixel; it is drawn by itself.
    if (stop - 1 > i && end[stop - 1] - start[stop - 1] >= 1.5 * nsPerPixel) --stop;
    if (x >= 0 && x < width) {
      const busy = Math.min(1, lane.busyBetween(i, stop) / nsPerPixel);
      const best = stop - i === 1 ? i : lane.longest(i, stop);
      line[x] = blend(colourOf[name[best]], background, leastDensity + (((256 - leastDensity) * busy) | 0));
    }
    i = stop;
  }
}

/** Slices that are wide enough for their names, with their pixels. */
export function wideSlices(lane: Lane, window: Window, leastPixels: number): Wide[] {
  const {from, nsPerPixel, width} = window;
  const to = from + nsPerPixel * width,
    least = leastPixels * nsPerPixel;
  const wide: Wide[] = [];
  for (
    let i = lane.nextLonger(lane.firstEndingAfter(from), least);
    i < lane.size && lane.start[i] < to;
    i = lane.nextLonger(i + 1, least)
  ) {
    const left = Math.max(0, Math.round((lane.start[i] - from) / nsPerPixel));
    const right = Math.min(width, Math.round((lane.end[i] - from) / nsPerPixel) - 1);
    if (right - left >= leastPixels) wide.push({name: lane.name[i], left, right});
  }
  return wide;
}

/** The last row of pixels of each lane: after a move only the pixels that came into view are painted. */
export class LineCache {
  private readonly lines = new Map<string, {key: string; first: number; line: Uint32Array}>();

  /** The pixels `first` (counted from time zero) to `first + width`. */
  get(
    id: string,
    key: string,
    first: number,
    width: number,
    paint: (window: {first: number; width: number}, line: Uint32Array) => void,
  ): Uint32Array {
    let kept = this.lines.get(id);
    if (!kept || kept.key !== key || kept.line.length !== width || Math.abs(first - kept.first) >= width) {
      kept = {key, first, line: kept?.line.length === width ? kept.line : new Uint32Array(width)};
      this.lines.set(id, kept);
      paint({first, width}, kept.line);
      return kept.line;
    }
    const moved = first - kept.first;
    kept.first = first;
    if (moved > 0) {
      kept.line.copyWithin(0, moved);
      paint({first: first + width - moved, width: moved}, kept.line.subarray(width - moved));
    } else if (moved < 0) {
      kept.line.copyWithin(-moved, 0, width + moved);
      paint({first, width: -moved}, kept.line.subarray(0, -moved));
    }
    return kept.line;
  }
}

/** Copies a row of pixels to the rows top to bottom (without bottom) of an image. */
export function stamp(pixels: Uint32Array, line: Uint32Array, width: number, top: number, bottom: number): void {
  for (let y = top; y < bottom; ++y) pixels.set(line, y * width);
}

function lastAtOrBefore(times: Float64Array, t: number): number {
  let low = 0,
    high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Paints a counter as an area: per pixel the largest of its samples, or the last one before it. */
export function paintCounter(
  counter: Counter,
  window: Window,
  colour: number,
  edge: number,
  pixels: Uint32Array,
  top: number,
  bottom: number,
  highest: number,
): void {
  const {from, nsPerPixel, width} = window;
  let i = lastAtOrBefore(counter.time, from);
  const scale = (bottom - top) / (counter.high - counter.low);
  for (let x = 0; x < width; ++x) {
    const until = from + (x + 1) * nsPerPixel;
    let value = i >= 0 ? counter.value[i] : NaN;
    while (i + 1 < counter.time.length && counter.time[i + 1] < until) {
      ++i;
      if (!(value >= counter.value[i])) value = counter.value[i];
    }
    if (Number.isNaN(value) || from + x * nsPerPixel > counter.time[counter.time.length - 1]) continue;
    const y = Math.min(bottom - 1, Math.round(bottom - (value - counter.low) * scale));
    for (let row = Math.max(y, highest); row < bottom; ++row) pixels[row * width + x] = row === y ? edge : colour;
  }
}
