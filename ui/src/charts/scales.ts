// Axes: nice steps, logarithms, and the lines and numbers beside them.

import type {Colours} from '../theme';
import type {Scene} from './chart';

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Scale {
  at(value: number): number;
  ticks: number[];
}

/** 1, 2 or 5 times a power of ten, so that about `wanted` steps fit. */
export function niceStep(span: number, wanted: number): number {
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

export function linear(low: number, high: number, from: number, to: number, wanted = 5): Scale {
  const span = high - low || 1;
  const step = niceStep(span, wanted);
  const ticks: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step) ticks.push(tick);
  return {at: (value) => from + ((value - low) / span) * (to - from), ticks};
}

export function logarithmic(low: number, high: number, from: number, to: number): Scale {
  const a = Math.log10(low),
    b = Math.log10(high);
  const ticks: number[] = [];
  const leads = b - a < 2.2 ? [1, 2, 5] : [1];
  for (let power = Math.floor(a); power <= b + 1e-9; ++power) for (const lead of leads) ticks.push(lead * 10 ** power);
  const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  return {at: (value) => from + ((Math.log10(Math.max(value, low / 10)) - a) / (b - a || 1)) * (to - from), ticks: inside};
}

/** Lines across for the values of y, with their numbers on the left. */
export function gridY(scene: Scene, frame: Frame, scale: Scale, text: (value: number) => string, c: Colours): void {
  for (const tick of scale.ticks) {
    const y = scale.at(tick);
    scene.lines!.push({points: [frame.left, y, frame.right, y], colour: c.line});
    scene.notes!.push({x: frame.left - 6, y: y + 4, text: text(tick), align: 'right'});
  }
}

/** Every chart leaves this much room right of its frame. [pixels] */
const leastMargin = 8;

/** Numbers below for the values of x; those that would touch each other are left out, the last stays inside the chart. */
export function gridX(scene: Scene, frame: Frame, scale: Scale, text: (value: number) => string, c: Colours): void {
  let free = -Infinity;
  for (const tick of scale.ticks) {
    const x = scale.at(tick);
    scene.lines!.push({points: [x, frame.bottom, x, frame.bottom + 4], colour: c.line});
    const half = text(tick).length * 3.5;
    const at = Math.min(x, frame.right + leastMargin - half);
    if (at - half < free) continue;
    scene.notes!.push({x: at, y: frame.bottom + 16, text: text(tick), align: 'center'});
    free = at + half + 10;
  }
}
