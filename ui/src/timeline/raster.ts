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

/** Paints a lane into one row of pixels. Slices below a pixel are merged: the colour of the longest, as dense as they are busy. */
export function paintLane(lane: Lane, window: Window, colourOf: Uint32Array, line: Uint32Array, background: number,
    wideFrom: number, wide: Wide[]): void {
  const {from, nsPerPixel, width} = window;
  const {start, end, name} = lane;
  const to = from + nsPerPixel * width;
  let i = lane.firstEndingAfter(from);
  while (i < start.length && start[i] < to) {
    const left = (start[i] - from) / nsPerPixel;
    const right = (end[i] - from) / nsPerPixel;
    if (right - left >= 1.5) {
      const x0 = left < 0 ? 0 : Math.round(left);
      const edge = Math.round(right);
      const x1 = Math.min(width, edge - x0 > 3 ? edge - 1 : Math.max(edge, x0 + 1));
      line.fill(colourOf[name[i]], x0, x1);
      if (x1 - x0 >= wideFrom) wide.push({name: name[i], left: x0, right: x1});
      ++i;
      continue;
    }
    const x = left < 0 ? 0 : Math.floor(left);
    let stop = lane.firstStartingAt(from + (x + 1) * nsPerPixel, i + 1);
    // A wide one can only be the last of those that start in this pixel; it is drawn by itself.
    if (stop - 1 > i && end[stop - 1] - start[stop - 1] >= 1.5 * nsPerPixel) --stop;
    const busy = Math.min(1, lane.busyBetween(i, stop) / nsPerPixel);
    const best = stop - i === 1 ? i : lane.longest(i, stop);
    if (x < width) line[x] = blend(colourOf[name[best]], background, leastDensity + ((256 - leastDensity) * busy | 0));
    i = stop;
  }
}

/** Copies a row of pixels to the rows top to bottom (without bottom) of an image. */
export function stamp(pixels: Uint32Array, line: Uint32Array, width: number, top: number, bottom: number): void {
  for (let y = top; y < bottom; ++y) pixels.set(line, y * width);
}

function lastAtOrBefore(times: Float64Array, t: number): number {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Paints a counter as an area: per pixel the largest of its samples, or the last one before it. */
export function paintCounter(counter: Counter, window: Window, colour: number, edge: number, pixels: Uint32Array, top: number, bottom: number,
    highest: number): void {
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
