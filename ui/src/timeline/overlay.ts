// What lies over the slices: the pointer's slice, the selection, a range of time, and flows from launches to kernels.

import {prepareCanvas} from '../charts/chart';
import {time} from '../format';
import {colours} from '../theme';
import {heightOfLane, laneHeight, rulerHeight} from './layout';
import type {Scene} from './paint';
import type {Pick} from './pick';

export interface Range {
  from: number;
  to: number;
}

export interface Marks {
  hover: Pick | null;
  selected: Pick | null;
  /** Slices that the selected one launches or is launched by. */
  linked: Array<{pick: Pick; forward: boolean}>;
  range: Range | null;
}

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

function boxOf(scene: Scene, pick: Pick): Box {
  const shift = scene.shifts[pick.model];
  const height = pick.row.kind === 'steps' ? laneHeight : heightOfLane(scene.models[pick.model].head.tracks[pick.row.track]);
  const x = scene.view.x(pick.lane.start[pick.index] + shift);
  const right = scene.view.x(pick.lane.end[pick.index] + shift);
  return {
    x,
    y: pick.row.y + Math.min(pick.depth, pick.row.lanes - 1) * height - scene.scroll + rulerHeight,
    w: Math.max(3, right - x),
    h: height - 1,
  };
}

function outline(context: CanvasRenderingContext2D, box: Box, colour: string, width: number): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.strokeRect(box.x - width / 2, box.y - width / 2, box.w + width, box.h + width);
}

/** A curve from the end of the launch's start to the start of the kernel. */
function arrow(context: CanvasRenderingContext2D, from: Box, to: Box, colour: string): void {
  const [x0, y0, x1, y1] = [from.x, from.y + from.h / 2, to.x, to.y + to.h / 2];
  const bend = Math.max(24, Math.min(160, Math.abs(x1 - x0) / 2));
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7, y1 - 4);
  context.lineTo(x1 - 7, y1 + 4);
  context.fill();
}

function drawRange(context: CanvasRenderingContext2D, scene: Scene, range: Range): void {
  const c = colours();
  const x0 = scene.view.x(range.from),
    x1 = scene.view.x(range.to);
  context.fillStyle = c.accent;
  context.globalAlpha = 0.14;
  context.fillRect(x0, rulerHeight, x1 - x0, scene.height);
  context.globalAlpha = 1;
  context.fillRect(x0, 0, 1.5, scene.height);
  context.fillRect(x1 - 1.5, 0, 1.5, scene.height);
  context.fillRect(x0, 0, x1 - x0, 3);
  context.font = '600 11px system-ui, sans-serif';
  context.textAlign = 'center';
  const text = time(range.to - range.from);
  const middle = Math.max(40, Math.min(scene.width - 40, (x0 + x1) / 2));
  context.fillStyle = c.surface;
  context.fillRect(middle - 36, 5, 72, 16);
  context.fillStyle = c.accent;
  context.fillText(text, middle, 17);
}

export function drawOverlay(canvas: HTMLCanvasElement, scene: Scene, marks: Marks): void {
  const context = prepareCanvas(canvas, scene.width, scene.height);
  const c = colours();
  if (marks.range) drawRange(context, scene, marks.range);
  context.save();
  context.beginPath();
  context.rect(0, rulerHeight, scene.width, scene.height);
  context.clip();
  if (marks.hover) outline(context, boxOf(scene, marks.hover), c.muted, 1);
  if (marks.selected) {
    const own = boxOf(scene, marks.selected);
    for (const {pick, forward} of marks.linked.slice(0, 200)) {
      const other = boxOf(scene, pick);
      arrow(context, forward ? own : other, forward ? other : own, c.warm);
    }
    outline(context, own, c.text, 2);
  }
  context.restore();
}
