// Dots against the bound: time against the least time (of a run), or speed against intensity (of the catalogue).

import type {Roofline, RooflineRows} from '../generated/documents';
import {scaled, share, short, shortTime, time} from '../format';
import {texts} from '../texts';
import type {Build, Scene} from './chart';
import {gridX, gridY, logarithmic} from './scales';

export interface Dot {
  x: number;
  y: number;
  size: number;
  colour: string;
  label: string;
  /** Only what is certain counts: the true bound is higher. */
  hollow: boolean;
  open: string;
}

const machineColours = ['#3b7dbf', '#e08e0b', '#2a9d8f', '#8d63b0', '#c8443c', '#7f8a96'];
const mostDots = 800;
const leastBound = 10; // ns; tinier bounds are drawn at the left edge

function around(values: number[]): [number, number] {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity),
    high = values.reduce((a, b) => Math.max(a, b), 0);
  return [10 ** Math.floor(Math.log10(Math.max(low, 1e-9))), 10 ** Math.ceil(Math.log10(Math.max(high, 1e-9) * 1.05))];
}

/** The diagonal is the bound: a kernel above it takes longer than the machine needs. Lines above it are shares of the bound. */
export function boundScene(dots: Dot[], goal: number): Build {
  return (width, height, c) => {
    const t = texts().roofline;
    const scene: Scene = {marks: [], lines: [], notes: []};
    const frame = {left: 64, right: width - 28, top: 18, bottom: height - 38};
    const [xLow, xHigh] = around(dots.map((d) => Math.max(d.x, leastBound)));
    const [yLow, yHigh] = around(dots.map((d) => d.y));
    const x = logarithmic(xLow, xHigh, frame.left, frame.right),
      y = logarithmic(yLow, yHigh, frame.bottom, frame.top);
    gridY(scene, frame, y, shortTime, c);
    gridX(scene, frame, x, shortTime, c);
    const diagonal = (part: number, colour: string, dash: number[], text: string): void => {
      const from = Math.max(xLow, yLow * part),
        to = Math.min(xHigh, yHigh * part);
      if (to <= from) return;
      scene.lines!.push({
        points: [x.at(from), y.at(from / part), x.at(to), y.at(to / part)],
        colour,
        dash,
        width: dash.length === 0 ? 2 : 1.2,
      });
      scene.notes!.push({x: x.at(to) - 6, y: y.at(to / part) + (part === 1 ? 28 : -4), text, align: 'right', colour});
    };
    diagonal(1, c.good, [], t.bound);
    if (goal < 1) diagonal(goal, c.accent, [6, 4], `S = ${share(goal)}`);
    diagonal(0.1, c.muted, [2, 4], 'S = 10%');
    const most = dots.reduce((a, d) => Math.max(a, d.size), 1);
    for (const dot of [...dots].sort((a, b) => b.size - a.size).slice(0, mostDots)) {
      const r = 3 + 19 * Math.sqrt(dot.size / most);
      scene.marks.push({
        x: x.at(Math.max(dot.x, leastBound)) - r,
        y: y.at(dot.y) - r,
        w: 2 * r,
        h: 2 * r,
        round: true,
        colour: dot.colour,
        hollow: dot.hollow,
        label: dot.label,
        open: () => {
          location.hash = dot.open;
        },
      });
    }
    scene.notes!.push(
      {x: (frame.left + frame.right) / 2, y: height - 6, text: t.xBound, align: 'center'},
      {x: frame.left, y: 11, text: t.yTime},
    );
    return scene;
  };
}

/** The slope of each chosen machine's memory, and one dot per shape that has a measured time (hollow: the bound). */
export function rooflineScene(roofline: Roofline, rows: RooflineRows[], machines: string[]): Build {
  return (width, height, c) => {
    const t = texts().roofline;
    const scene: Scene = {marks: [], lines: [], notes: []};
    const frame = {left: 92, right: width - 16, top: 28, bottom: height - 38};
    const usable = rows.filter((row) => row.ai > 0 && row.W > 0);
    if (usable.length === 0) return scene;
    const bound = (row: RooflineRows, machine: string): number | null =>
      row.t_sol_ns[machine] ? (row.W / row.t_sol_ns[machine]!) * 1e9 : null;
    const speedOf = (row: RooflineRows, machine: string): number =>
      row.t_prod_ns[machine] ? (row.W / row.t_prod_ns[machine]!) * 1e9 : (bound(row, machine) ?? 0);
    const speeds = usable.flatMap((row) => machines.map((m) => speedOf(row, m))).filter((v) => v > 0);
    const [xLow, xHigh] = around(usable.map((row) => row.ai));
    const [least, yHigh] = around([
      ...speeds,
      ...usable.flatMap((row) => machines.map((m) => bound(row, m) ?? 0)).filter((v) => v > 0),
    ]);
    const yLow = Math.max(least, yHigh / 1e6); // slower ones are drawn at the lower edge
    const x = logarithmic(xLow, xHigh, frame.left, frame.right),
      y = logarithmic(yLow, yHigh, frame.bottom, frame.top);
    gridY(scene, frame, y, (v) => scaled(v, 'FLOP/s'), c);
    gridX(scene, frame, x, short, c);
    machines.forEach((machine, i) => {
      const colour = machineColours[i % machineColours.length];
      const bandwidth = roofline.hardware.find((h) => h.name === machine)?.memory_bandwidth ?? 0;
      const roof = usable.reduce((most, row) => Math.max(most, bound(row, machine) ?? 0), 0);
      const ridge = roof / bandwidth;
      if (bandwidth > 0 && roof > 0) {
        scene.lines!.push({
          points: [
            x.at(xLow),
            y.at(xLow * bandwidth),
            x.at(Math.min(ridge, xHigh)),
            y.at(Math.min(roof, xHigh * bandwidth)),
            x.at(xHigh),
            y.at(Math.min(roof, xHigh * bandwidth)),
          ],
          colour,
          width: 1.8,
        });
        scene.notes!.push({
          x: x.at(xHigh) - 4,
          y: y.at(roof) - 5,
          text: `${machine}: ${t.ridge} ${ridge.toFixed(0)}`,
          align: 'right',
          colour,
        });
      }
      for (const row of usable.slice(0, mostDots)) {
        const measured = row.t_prod_ns[machine] ?? null;
        const speed = speedOf(row, machine);
        if (!speed) continue;
        const r = measured ? 3 + Math.min(5, Math.log10(1 + measured / 1e3) * 1.4) : 3;
        scene.marks.push({
          x: x.at(row.ai) - r,
          y: y.at(Math.max(speed, yLow)) - r,
          w: 2 * r,
          h: 2 * r,
          round: true,
          hollow: !measured,
          colour,
          label: `${row.operator} ${row.label}\n${machine}: ${measured ? `${time(measured)}, S ${share(row.s[machine])}` : t.notTimed}\n${t.bound} ${time(row.t_sol_ns[machine])} (${row.limited_by[machine] ?? texts().unknown})\n${scaled(speed, 'FLOP/s')}`,
        });
      }
    });
    scene.notes!.push(
      {x: (frame.left + frame.right) / 2, y: height - 6, text: t.xIntensity, align: 'center'},
      {x: frame.left, y: 12, text: t.ySpeed},
    );
    return scene;
  };
}
