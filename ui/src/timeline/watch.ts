// What the timeline waits for: a search, the links of a selection, and (of large runs) the slices of the window.

import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {Lane} from './lanes';
import type {RunModel} from './model';
import type {Marks} from './overlay';
import type {Scene} from './paint';
import {type Pick, pickRow} from './pick';
import type {View} from './view';

export interface Found {
  lanes: Array<Array<Array<Lane | null>>>;
  names: number;
  slices: number;
  /** The next slice that was found, after (1) or before (-1) another one. */
  next(from: Pick | null, direction: number, scene: Scene): Pick | null;
}

function nextFound(lanes: Found['lanes'], from: Pick | null, direction: number, scene: Scene): Pick | null {
  const t = from ? from.lane.start[from.index] + scene.shifts[from.model] : direction > 0 ? -Infinity : Infinity;
  let best: {model: number; row: number; start: number} | null = null;
  lanes.forEach((tracks, model) => tracks.forEach((depths) => depths.forEach((lane) => {
    if (!lane) return;
    const shift = scene.shifts[model];
    let i = lane.firstStartingAt(t - shift + (direction > 0 ? 1e-3 : 0), 0);
    if (direction < 0) i -= 1;
    if (i < 0 || i >= lane.size) return;
    const start = lane.start[i] + shift;
    if (!best || direction * (start - best.start) < 0) best = {model, row: lane.row[i], start};
  })));
  const chosen = best as {model: number; row: number} | null;
  return chosen ? pickRow(scene, chosen.model, chosen.row) : null;
}

export function useFound(models: RunModel[], query: string): Found | null {
  useEffect(() => {
    let timer = 0;
    const prepare = (): void => {
      if (!models.every((model) => model.search.prepare(performance.now() + 8))) timer = window.setTimeout(prepare, 4);
    };
    timer = window.setTimeout(prepare, 50);
    return () => clearTimeout(timer);
  }, [models]);
  return useMemo(() => {
    if (query.trim() === '') return null;
    let names = 0, slices = 0;
    const lanes = models.map((model) => {
      const result = model.search.find(query.trim());
      names += result.found;
      const wanted = result.wanted.length < model.nameColours.length ? widened(result.wanted, model.nameColours.length) : result.wanted;
      return model.lanes.map((list) => list.map((lane) => {
        const found = result.found > 0 ? lane.filter(wanted) : null;
        slices += found?.size ?? 0;
        return found;
      }));
    });
    return {lanes, names, slices, next: (from, direction, scene) => nextFound(lanes, from, direction, scene)};
  }, [models, query, ...models.map((model) => model.lanes)]);
}

function widened(array: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  out.set(array);
  return out;
}

export function useLinked(scene: () => Scene, picked: {model: number; row: number} | null): Marks['linked'] {
  const [linked, setLinked] = useState<Marks['linked']>([]);
  useEffect(() => {
    setLinked([]);
    if (!picked || picked.row < 0) return undefined;
    let current = true;
    void scene().models[picked.model].linked(picked.row).then(({launches, launchedBy}) => {
      if (!current) return;
      const now = scene();
      const find = (forward: boolean) => (row: number) => {
        const pick = pickRow(now, picked.model, row);
        return pick ? [{pick, forward}] : [];
      };
      setLinked([...launchedBy.flatMap(find(false)), ...launches.slice(0, 200).flatMap(find(true))]);
    });
    return () => {
      current = false;
    };
  }, [picked?.model, picked?.row]);
  return linked;
}

/** Asks the server for the slices of the window, a moment after it came to rest, with as much again on both sides. */
export function useWindows(models: RunModel[], shifts: number[], loaded: () => void): (view: View) => void {
  const timer = useRef(0);
  const held = useRef<{from: number; to: number; nsPerPx: number} | null>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (view) => {
    const large = models.filter((model) => !model.whole);
    const now = held.current;
    if (large.length === 0) return;
    if (now && view.from >= now.from && view.to <= now.to && view.nsPerPx > now.nsPerPx / 2 && view.nsPerPx < now.nsPerPx * 2) return;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const wide = view.to - view.from;
      const window_ = {from: view.from - wide, to: view.to + wide, columns: Math.round(view.width * 3)};
      held.current = {...window_, nsPerPx: view.nsPerPx};
      void Promise.all(large.map((model) => {
        const shift = shifts[models.indexOf(model)];
        return model.loadSlices({...window_, from: window_.from - shift, to: window_.to - shift});
      })).then(loaded, () => { held.current = null; });
    }, 60);
  };
}
