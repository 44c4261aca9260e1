// One frame of the timeline: ruler, lanes, counters, names. A second canvas holds what changes with the pointer.

import {fitted, shortTime} from '../format';
import {colours} from '../theme';
import {niceStep} from '../charts/scales';
import {heightOfLane, laneHeight, type Row, rulerHeight} from './layout';
import type {Lane} from './lanes';
import type {RunModel} from './model';
import {blend, LineCache, pack, paintCounter, paintLane, stamp, type Window, wideSlices} from './raster';
import type {View} from './view';

export interface Scene {
  models: RunModel[];
  /** Added to the times of each run, so that the steps are aligned. */
  shifts: number[];
  rows: Row[];
  view: View;
  scroll: number;
  width: number;
  height: number;
  /** Slices that a search found, per run, track and depth; null: no search. */
  found: Array<Array<Array<Lane | null>>> | null;
}

interface Label {
  x: number;
  y: number;
  text: string;
  tone: 'dark' | 'light';
}

const letter = 6.1; // mean width of a letter, in px
const leastLabel = 34;

/** Light text on dark colours and the other way round. */
function isDark(packed: number): boolean {
  return 0.3 * (packed & 0xff) + 0.59 * ((packed >> 8) & 0xff) + 0.11 * ((packed >> 16) & 0xff) < 135;
}

const ids = new WeakMap<Lane, number>();
let lastId = 0;

/** A number for a lane, so that a kept row of pixels is not taken for that of another one. */
function idOf(lane: Lane): number {
  let id = ids.get(lane);
  if (id === undefined) ids.set(lane, (id = ++lastId));
  return id;
}

export class Painter {
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private line = new Uint32Array(0);
  private tables = new Map<RunModel, {theme: string; full: Uint32Array; pale: Uint32Array}>();
  private readonly labels: Label[] = [];
  private readonly cache = new LineCache();

  draw(canvas: HTMLCanvasElement, scene: Scene): void {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(scene.width * ratio),
      height = Math.round(scene.height * ratio);
    if (width < 1 || height < 1) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext('2d', {alpha: false})!;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.line = new Uint32Array(width);
    }
    const c = colours();
    this.pixels.fill(pack(c.surface));
    this.labels.length = 0;
    for (const row of scene.rows) {
      const top = row.y - scene.scroll + rulerHeight;
      if (top + row.height > rulerHeight && top < scene.height) this.paintRow(scene, row, top, ratio, width, height);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLabels(context);
    drawRuler(context, scene);
  }

  private paintRow(scene: Scene, row: Row, top: number, ratio: number, width: number, height: number): void {
    const c = colours();
    const model = scene.models[row.model];
    const nsPerPixel = scene.view.nsPerPx / ratio;
    const first = Math.round((scene.view.from - scene.shifts[row.model]) / nsPerPixel);
    const view: Window = {from: first * nsPerPixel, nsPerPixel, width};
    const device = (y: number): number => Math.max(Math.round(rulerHeight * ratio), Math.min(height, Math.round(y * ratio)));
    if (row.kind === 'run' || row.kind === 'group') {
      this.line.fill(row.kind === 'run' ? pack(c.line) : blend(pack(c.line), pack(c.surface), 90));
      stamp(this.pixels, this.line, width, device(top), device(top + row.height));
    } else if (row.counter) {
      const accent = pack(c.accent),
        soft = blend(accent, pack(c.surface), 70);
      const highest = Math.round(rulerHeight * ratio);
      if (device(top + row.height) > highest) {
        paintCounter(
          row.counter,
          view,
          soft,
          accent,
          this.pixels,
          Math.round((top + 4) * ratio),
          Math.min(height, Math.round((top + row.height - 2) * ratio)),
          highest,
        );
      }
    } else {
      this.paintLanes(scene, row, model, view, first, top, device, ratio);
    }
  }

  private paintLanes(
    scene: Scene,
    row: Row,
    model: RunModel,
    view: Window,
    first: number,
    top: number,
    device: (y: number) => number,
    ratio: number,
  ): void {
    const table = this.table(model);
    const laneSize = row.kind === 'steps' ? laneHeight : heightOfLane(model.head.tracks[row.track]);
    const background = pack(colours().surface);
    for (let d = 0; d < row.lanes; ++d) {
      const y = top + d * laneSize;
      const y0 = device(y),
        y1 = device(y + laneSize - 1);
      if (y1 <= y0) continue;
      const lane = row.kind === 'steps' ? model.steps : model.lanes[row.track]?.[d];
      if (!lane || lane.size === 0) continue;
      const found = row.kind === 'steps' ? null : (scene.found?.[row.model]?.[row.track]?.[d] ?? null);
      const pale = scene.found !== null && row.kind !== 'steps';
      const key = `${view.nsPerPixel} ${background} ${idOf(lane)} ${found ? idOf(found) : pale}`;
      const line = this.cache.get(`${row.key} ${d}`, key, first, view.width, (part, into) => {
        const window_ = {from: part.first * view.nsPerPixel, nsPerPixel: view.nsPerPixel, width: part.width};
        into.fill(background);
        paintLane(lane, window_, pale ? table.pale : table.full, into, background);
        if (found) paintLane(found, window_, table.full, into, background);
      });
      stamp(this.pixels, line, view.width, y0, y1);
      if (y < rulerHeight - 6) continue;
      for (const slice of wideSlices(lane, view, leastLabel * ratio)) {
        const room = (slice.right - slice.left) / ratio - 6;
        const text = model.short(slice.name);
        const letters = Math.floor(room / letter);
        this.labels.push({
          x: slice.left / ratio + 3,
          y: y + laneSize - (laneSize > 15 ? 5.5 : 3.5),
          tone: isDark(line[Math.min(slice.left + 1, view.width - 1)]) ? 'light' : 'dark',
          text: fitted(text, letters),
        });
      }
    }
  }

  /** Colours of all names of a run, as they are and pale (for what a search did not find). */
  private table(model: RunModel): {full: Uint32Array; pale: Uint32Array} {
    const theme = colours().surface;
    let table = this.tables.get(model);
    if (!table || table.theme !== theme || table.full.length !== model.nameColours.length) {
      const full = Uint32Array.from(model.nameColours, pack);
      const background = pack(theme);
      table = {theme, full, pale: full.map((colour) => blend(colour, background, 60))};
      this.tables.set(model, table);
    }
    return table;
  }

  private drawLabels(context: CanvasRenderingContext2D): void {
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left';
    for (const [tone, colour] of [
      ['dark', '#14181d'],
      ['light', '#ffffff'],
    ]) {
      context.fillStyle = colour;
      for (const label of this.labels) if (label.tone === tone) context.fillText(label.text, label.x, label.y);
    }
  }
}

function drawRuler(context: CanvasRenderingContext2D, scene: Scene): void {
  const c = colours();
  const {view} = scene;
  context.fillStyle = c.surface;
  context.fillRect(0, 0, scene.width, rulerHeight);
  const step = niceStep(view.to - view.from, scene.width / 110);
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'left';
  context.lineWidth = 1;
  context.strokeStyle = c.line;
  context.beginPath();
  context.fillStyle = c.muted;
  for (let t = Math.ceil(view.from / step) * step; t < view.to; t += step) {
    const x = Math.round(view.x(t)) + 0.5;
    context.moveTo(x, 12);
    context.lineTo(x, scene.height);
    context.fillText(shortTimeAt(t, step), x + 4, 17);
  }
  context.moveTo(0, rulerHeight - 0.5);
  context.lineTo(scene.width, rulerHeight - 0.5);
  context.globalAlpha = 0.6;
  context.stroke();
  context.globalAlpha = 1;
}

/** A time with as many digits as the distance of the marks asks for. */
function shortTimeAt(t: number, step: number): string {
  if (Math.abs(t) < step / 2) return '0';
  const [scale, unit] =
    Math.abs(t) >= 1e9 ? [1e9, 's'] : Math.abs(t) >= 1e6 ? [1e6, 'ms'] : Math.abs(t) >= 1e3 ? [1e3, 'μs'] : [1, 'ns'];
  const places = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / scale) - 1e-9)));
  return places > 6 ? shortTime(t) : `${(t / scale).toFixed(places)} ${unit}`;
}
