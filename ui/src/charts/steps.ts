// Steps over time: how long each took, and strips of them per rank.

import type {Cycles} from '../generated/documents';
import {share, shortTime, time} from '../format';
import {go} from '../route';
import {texts} from '../texts';
import {phaseColour} from '../theme';
import type {Build, Mark, Scene} from './chart';
import {gridX, gridY, linear, logarithmic} from './scales';

export type Cycle = Cycles['cycles'][number];

const mostMarks = 3000;

export function openStep(cycle: Cycle, run: number): void {
  const margin = Math.round(cycle.dur_ns * 0.05);
  go('timeline', {run: String(run), from: String(cycle.start_ns - margin), to: String(cycle.start_ns + cycle.dur_ns + margin)});
}

export function stepLabel(cycle: Cycle, outlier: boolean): string {
  const t = texts().steps;
  const phase = cycle.phase === 'unknown' ? '' : `, ${cycle.phase}`;
  const lines = [`${t.step} ${cycle.index}${phase}: ${time(cycle.dur_ns)}`];
  if (cycle.gpu_busy_ns !== null) lines.push(`${t.busy} ${share(cycle.gpu_busy_ns / Math.max(1, cycle.dur_ns))}`);
  if (cycle.tokens !== null) lines.push(`${cycle.tokens} ${t.tokens}`);
  if (cycle.rank !== null) lines.push(`rank ${cycle.rank}`);
  if (!cycle.complete) lines.push(t.cut);
  if (outlier) lines.push(t.outlier);
  return lines.join('\n');
}

/** Steps far above their phase: more than three quartile distances above the upper quartile, and by half of the median. */
export function findOutliers(cycles: Cycle[]): Set<Cycle> {
  const found = new Set<Cycle>();
  for (const phase of new Set(cycles.map((c) => c.phase))) {
    const group = cycles.filter((c) => c.phase === phase && c.complete);
    const sorted = group.map((c) => c.dur_ns).sort((a, b) => a - b);
    const at = (q: number): number => sorted[Math.floor(q * (sorted.length - 1))];
    if (sorted.length < 8) continue;
    const limit = Math.max(at(0.75) + 3 * (at(0.75) - at(0.25)), 1.5 * at(0.5));
    for (const cycle of group) if (cycle.dur_ns > limit) found.add(cycle);
  }
  return found;
}

/** Of many steps, the longest of each group of neighbours. */
function thinned(cycles: Cycle[]): Cycle[] {
  if (cycles.length <= mostMarks) return cycles;
  const size = Math.ceil(cycles.length / mostMarks);
  const out: Cycle[] = [];
  for (let i = 0; i < cycles.length; i += size) {
    out.push(cycles.slice(i, i + size).reduce((a, b) => (b.dur_ns > a.dur_ns ? b : a)));
  }
  return out;
}

/** Each step as a dash: from its start to its end, at the height of its time. */
export function stepTimes(cycles: Cycle[], run: number): Build {
  const outliers = findOutliers(cycles);
  const shown = thinned(cycles);
  return (width, height, c) => {
    const scene: Scene = {marks: [], lines: [], notes: []};
    if (shown.length === 0) return scene;
    const frame = {left: 58, right: width - 10, top: 10, bottom: height - 22};
    const times = shown.map((s) => s.dur_ns);
    const low = times.reduce((a, b) => Math.min(a, b)),
      high = times.reduce((a, b) => Math.max(a, b));
    const wide = high / Math.max(1, low) > 12;
    const y = wide
      ? logarithmic(Math.max(1, low / 1.6), high * 1.4, frame.bottom, frame.top)
      : linear(0, high * 1.1, frame.bottom, frame.top, 4);
    const end = shown.reduce((a, s) => Math.max(a, s.start_ns + s.dur_ns), 0);
    const x = linear(Math.min(0, shown[0].start_ns), end, frame.left, frame.right, width / 130);
    gridY(scene, frame, y, shortTime, c);
    gridX(scene, frame, x, shortTime, c);
    for (const step of shown) {
      const left = x.at(step.start_ns);
      const w = Math.max(3, x.at(step.start_ns + step.dur_ns) - left - 1);
      const base: Mark = {
        x: left,
        y: y.at(step.dur_ns) - 2,
        w,
        h: 5,
        colour: phaseColour(step.phase),
        label: stepLabel(step, outliers.has(step)),
        open: () => openStep(step, run),
        hollow: !step.complete,
      };
      scene.marks.push(base);
      if (outliers.has(step)) scene.notes!.push({x: left + w / 2, y: base.y - 4, text: '▲', align: 'center', colour: c.warm});
    }
    return scene;
  };
}

/** One strip: steps side by side, each as wide as its time. */
export function stepStrip(cycles: Cycle[], outliers: Set<Cycle>, run: number, from: number, to: number): Build {
  return (width, height, c) => {
    const scene: Scene = {marks: [], lines: [], notes: []};
    const frame = {left: 4, right: width - 8, top: 12, bottom: height - 18};
    const x = linear(from, to, frame.left, frame.right, width / 130);
    gridX(scene, frame, x, shortTime, c);
    for (const step of thinned(cycles)) {
      const left = x.at(step.start_ns);
      const w = Math.max(1.5, x.at(step.start_ns + step.dur_ns) - left - 1);
      scene.marks.push({
        x: left,
        y: frame.top,
        w,
        h: frame.bottom - frame.top,
        colour: phaseColour(step.phase),
        hollow: !step.complete,
        label: stepLabel(step, outliers.has(step)),
        open: () => openStep(step, run),
      });
      if (outliers.has(step)) scene.notes!.push({x: left + w / 2, y: frame.top - 2, text: '▼', align: 'center', colour: c.warm});
    }
    return scene;
  };
}
