// Charts of a comparison: the waterfall, intervals of counters, two series over time.

import type {ComparisonWhere, ComparisonWhy} from '../generated/documents';
import {chance, digits, level, ratio, shortTime, signedTime, time} from '../format';
import {texts} from '../texts';
import type {Build, Scene} from './chart';
import {gridX, gridY, linear, logarithmic} from './scales';

export interface Piece {
  label: string;
  delta: number;
  note: string;
}

/** The largest parts, and one for all others, so that they add up from the normal to the other step. */
export function pieces(where: ComparisonWhere[], phase: string, normal: number, abnormal: number): Piece[] {
  const t = texts().compare;
  const parts = where.filter((w) => w.kind === 'part' && w.phase === phase && w.delta_ns_per_cycle !== null);
  const sorted = parts.sort((a, b) => Math.abs(b.delta_ns_per_cycle!) - Math.abs(a.delta_ns_per_cycle!));
  const out = sorted
    .slice(0, 7)
    .map((w) => ({label: w.what, delta: w.delta_ns_per_cycle!, note: `${ratio(w.ratio)}, q ${chance(w.q)}`}));
  const others = sorted.slice(7).reduce((sum, w) => sum + w.delta_ns_per_cycle!, 0);
  if (sorted.length > 7) out.push({label: t.others(sorted.length - 7), delta: others, note: ''});
  const rest = abnormal - normal - out.reduce((sum, piece) => sum + piece.delta, 0);
  if (Math.abs(rest) > 0.005 * Math.abs(abnormal - normal)) out.push({label: t.rest, delta: rest, note: ''});
  return out;
}

export function waterfall(list: Piece[], normal: number, abnormal: number, names: string[]): Build {
  return (width, height, c) => {
    const scene: Scene = {marks: [], lines: [], notes: []};
    const labelWidth = Math.min(230, width * 0.34);
    const frame = {left: labelWidth, right: width - 96, top: 4, bottom: height - 22};
    let at = normal,
      high = Math.max(normal, abnormal),
      low = 0;
    for (const piece of list) {
      at += piece.delta;
      high = Math.max(high, at);
      low = Math.min(low, at);
    }
    const x = linear(low, high * 1.02, frame.left, frame.right, width / 150);
    gridX(scene, frame, x, shortTime, c);
    const row = (frame.bottom - frame.top) / (list.length + 2);
    const fit = (text: string): string =>
      text.length * 6.6 > labelWidth - 12 ? `${text.slice(0, Math.floor((labelWidth - 18) / 6.6))}…` : text;
    const add = (i: number, from: number, to: number, colour: string, label: string, value: string, tip: string): void => {
      const left = x.at(Math.min(from, to));
      const y = frame.top + i * row;
      scene.marks.push({x: left, y: y + 3, w: Math.max(2, x.at(Math.max(from, to)) - left), h: row - 6, colour, label: tip});
      scene.notes!.push(
        {x: labelWidth - 8, y: y + row / 2 + 4, text: fit(label), align: 'right', colour: c.text},
        {x: x.at(Math.max(from, to)) + 6, y: y + row / 2 + 4, text: value, colour: c.text},
      );
      scene.lines!.push({points: [x.at(to), y + row - 3, x.at(to), y + row + 3], colour: c.muted});
    };
    add(0, 0, normal, '#7f8a96', names[0], time(normal), `${names[0]}: ${time(normal)}`);
    at = normal;
    list.forEach((piece, i) => {
      add(
        i + 1,
        at,
        at + piece.delta,
        piece.delta > 0 ? '#d9731a' : '#3b7dbf',
        piece.label,
        signedTime(piece.delta),
        `${piece.label}: ${signedTime(piece.delta)}\n${piece.note}`,
      );
      at += piece.delta;
    });
    add(list.length + 1, 0, abnormal, '#7f8a96', names[1], time(abnormal), `${names[1]}: ${time(abnormal)}`);
    return scene;
  };
}

/** Ratios of counters with their intervals; 1 means no change. */
export function intervals(rows: ComparisonWhy[]): Build {
  return (width, height, c) => {
    const scene: Scene = {marks: [], lines: [], notes: []};
    const labelWidth = Math.min(240, width * 0.4);
    const frame = {left: labelWidth, right: width - 16, top: 4, bottom: height - 22};
    const known = rows.filter((r) => r.ratio !== null && r.ratio > 0);
    const values = known.flatMap((r) => [r.ratio!, r.low ?? r.ratio!, r.high ?? r.ratio!]).filter((v) => v > 0);
    const far = Math.max(1.5, ...values, ...values.map((v) => 1 / v));
    const x = logarithmic(1 / far / 1.1, far * 1.1, frame.left, frame.right);
    x.ticks = [0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100].filter((tick) => tick > 1 / far / 1.1 && tick < far * 1.1);
    gridX(scene, frame, x, (v) => `×${digits(v)}`, c);
    scene.lines!.push({points: [x.at(1), frame.top, x.at(1), frame.bottom], colour: c.muted, dash: [3, 3]});
    const row = (frame.bottom - frame.top) / Math.max(1, known.length);
    known.forEach((r, i) => {
      const y = frame.top + i * row + row / 2;
      const colour = r.role === 'cause' ? '#d9731a' : '#7f8a96';
      if (r.low !== null && r.high !== null) scene.lines!.push({points: [x.at(r.low), y, x.at(r.high), y], colour, width: 3});
      scene.marks.push({
        x: x.at(r.ratio!) - 5,
        y: y - 5,
        w: 10,
        h: 10,
        round: true,
        colour,
        hollow: r.low === null,
        label: `${r.device} ${r.counter}: ${ratio(r.ratio)}${r.low !== null ? ` (${ratio(r.low)} – ${ratio(r.high)})` : ''}\n${level(r.normal, r.unit)} → ${level(r.abnormal, r.unit)}, q ${chance(r.q)}, ${r.role}`,
      });
      scene.notes!.push({
        x: labelWidth - 8,
        y: y + 4,
        text: `${r.counter}`,
        align: 'right',
        colour: r.role === 'cause' ? c.warm : c.text,
      });
    });
    return scene;
  };
}

export interface Series {
  time: ArrayLike<number>;
  value: ArrayLike<number>;
  colour: string;
  label: string;
}

/** Some series on one axis; the lines are thinned to the largest value per pixel. */
export function seriesChart(series: Series[], text: (value: number) => string, byIndex = false, axis = text): Build {
  return (width, height, c) => {
    const scene: Scene = {marks: [], lines: [], notes: []};
    let end = 1,
      high = 0;
    for (const s of series) {
      end = Math.max(end, s.time[s.time.length - 1] ?? 0);
      for (let i = 0; i < s.value.length; ++i) if (s.value[i] > high) high = s.value[i];
    }
    const letters = linear(0, high * 1.08 || 1, 1, 0, 4).ticks.reduce((most, tick) => Math.max(most, axis(tick).length), 0);
    const frame = {left: Math.max(58, 7 * letters + 10), right: width - 12, top: 10, bottom: height - 22};
    const x = linear(0, end, frame.left, frame.right, width / 130),
      y = linear(0, high * 1.08 || 1, frame.bottom, frame.top, 4);
    gridY(scene, frame, y, axis, c);
    gridX(scene, frame, x, byIndex ? (v) => String(v) : shortTime, c);
    for (const s of series) {
      const points: number[] = [];
      let lastPixel = -1;
      for (let i = 0; i < s.time.length; ++i) {
        const px = x.at(s.time[i]),
          py = y.at(s.value[i]);
        if (Number.isNaN(py)) continue;
        if (Math.floor(px) === lastPixel) points[points.length - 1] = Math.min(points[points.length - 1], py);
        else points.push(px, py);
        lastPixel = Math.floor(px);
      }
      scene.lines!.push({points, colour: s.colour, width: 1.6});
      const size = Math.max(1, Math.ceil(s.time.length / 400));
      for (let i = 0; i < s.time.length; i += size) {
        if (Number.isNaN(s.value[i])) continue;
        scene.marks.push({
          x: x.at(s.time[i]) - 2,
          y: y.at(s.value[i]) - 2,
          w: 4,
          h: 4,
          round: true,
          colour: s.colour,
          label: `${s.label}, ${byIndex ? s.time[i] : shortTime(s.time[i])}: ${text(s.value[i])}`,
        });
      }
    }
    return scene;
  };
}
