// A histogram of times.

import {shortTime, count} from '../format';
import type {Build, Scene} from './chart';
import {gridX, linear, logarithmic} from './scales';

export interface Line {
  value: number;
  text: string;
}

/** Bins are equal in logarithm where values spread over more than a factor of 20. */
export function histogram(values: ArrayLike<number>, colour: string, lines: Line[] = []): Build {
  let low = Infinity,
    high = 0;
  for (let i = 0; i < values.length; ++i) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return (width, height, c) => {
    const scene: Scene = {marks: [], lines: [], notes: []};
    const frame = {left: 8, right: width - 12, top: 24, bottom: height - 22};
    if (values.length === 0) return scene;
    low = Math.max(low, 1);
    const top = high > low ? high : low * 1.1 + 1;
    const wide = top / low > 20;
    const bins = Math.max(8, Math.min(60, Math.floor((frame.right - frame.left) / 9)));
    const position = (v: number): number =>
      wide ? Math.log(Math.max(v, low) / low) / Math.log(top / low) : (v - low) / (top - low);
    const edge = (i: number): number => (wide ? low * (top / low) ** (i / bins) : low + ((top - low) * i) / bins);
    const counts = new Array<number>(bins).fill(0);
    for (let i = 0; i < values.length; ++i) counts[Math.min(bins - 1, Math.floor(position(values[i]) * bins))]++;
    const most = Math.max(...counts);
    const x = wide ? logarithmic(low, top, frame.left, frame.right) : linear(low, top, frame.left, frame.right);
    const w = (frame.right - frame.left) / bins;
    counts.forEach((n, i) => {
      if (n === 0) return;
      const h = Math.max(2, (n / most) * (frame.bottom - frame.top));
      scene.marks.push({
        x: frame.left + i * w,
        y: frame.bottom - h,
        w: w - 1,
        h,
        colour,
        label: `${shortTime(edge(i))} – ${shortTime(edge(i + 1))}: ${count(n)}`,
      });
    });
    if (wide && x.ticks.length < 2) x.ticks = [low, Math.sqrt(low * top), top];
    gridX(scene, frame, x, shortTime, c);
    const sorted = [...lines].sort((a, b) => a.value - b.value);
    const texts = apart(
      sorted.map((line) => ({at: x.at(line.value), wide: line.text.length * 6.8})),
      width,
    );
    sorted.forEach((line, i) => {
      const at = x.at(line.value);
      scene.lines!.push({points: [at, frame.top - 6, at, frame.bottom], colour: c.text, dash: [3, 3]});
      scene.notes!.push({x: texts[i], y: frame.top - 10, text: line.text, align: 'left', colour: c.text});
    });
    return scene;
  };
}

/** Left ends of texts that stand side by side, each as near as it can be to the place that it is about. */
function apart(texts: Array<{at: number; wide: number}>, width: number): number[] {
  const gap = 8;
  const left: number[] = [];
  let free = 0;
  for (const {at, wide} of texts) {
    left.push(Math.max(at - wide / 2, free));
    free = left[left.length - 1] + wide + gap;
  }
  let limit = width;
  for (let i = texts.length - 1; i >= 0; --i) {
    left[i] = Math.min(left[i], limit - texts[i].wide);
    limit = left[i] - gap;
  }
  return left;
}
