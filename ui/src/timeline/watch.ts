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
  lanes.forEach((tracks, model) =>
    tracks.forEach((depths) =>
      depths.forEach((lane) => {
        if (!lane) return;
        const shift = scene.shifts[model];
        let i = lane.firstStartingAt(t - shift + (direction > 0 ? 1e-3 : 0), 0);
        if (direction < 0) i -= 1;
        if (i < 0 || i >= lane.size) return;
        const start = lane.start[i] + shift;
        if (!best || direction * (start - best.start) < 0) best = {model, row: lane.row[i], start};
      }),
    ),
  );
  const chosen = best as {model: number; row: number} | null;
  return chosen ? pickRow(scene, chosen.model, chosen.row) : null;
}

export function useFound(models: RunModel[], query: string): Found | null {
  useEffect(() => {
    let timer = 0;
    const prepare = (): void => {
      if (!models.every((model) => model.prepare(performance.now() + 8))) timer = window.setTimeout(prepare, 4);
    };
    timer = window.setTimeout(prepare, 10);
    return () => clearTimeout(timer);
  }, [models]);
  return useMemo(() => {
    if (query.trim() === '') return null;
    let names = 0,
      slices = 0;
    const lanes = models.map((model) => {
      const result = model.search.find(query.trim());
      names += result.found;
      const wanted =
        result.wanted.length < model.nameColours.length ? widened(result.wanted, model.nameColours.length) : result.wanted;
      return model.lanes.map((list) =>
        list.map((lane) => {
          const found = result.found > 0 ? lane.filter(wanted) : null;
          slices += found?.size ?? 0;
          return found;
        }),
      );
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
    void scene()
      .models[picked.model].linked(picked.row)
      .then(({launches, launchedBy}) => {
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

/** Asks the server for the slices of the window, with as much again on both sides; one question at a time, also while the view moves. */
export function useWindows(models: RunModel[], shifts: number[], loaded: () => void): (view: View) => void {
  const state = useRef<{held: {from: number; to: number; nsPerPx: number} | null; asking: boolean; view: View | null}>({
    held: null,
    asking: false,
    view: null,
  });
  const latest = useRef({models, shifts, loaded});
  latest.current = {models, shifts, loaded};
  useEffect(
    () => () => {
      state.current.view = null;
    },
    [],
  );
  const ask = (): void => {
    const {held, asking, view} = state.current;
    const large = latest.current.models.filter((model) => !model.whole);
    if (asking || !view || large.length === 0) return;
    if (
      held &&
      view.from >= held.from &&
      view.to <= held.to &&
      view.nsPerPx > held.nsPerPx / 2 &&
      view.nsPerPx < held.nsPerPx * 2
    )
      return;
    const wide = view.to - view.from;
    const wanted = {from: view.from - wide, to: view.to + wide, columns: Math.round(view.width * 3)};
    const {nsPerPx} = view;
    state.current.asking = true;
    void Promise.all(
      large.map((model) => {
        const shift = latest.current.shifts[latest.current.models.indexOf(model)];
        return model.loadSlices({...wanted, from: wanted.from - shift, to: wanted.to - shift});
      }),
    )
      .then(
        () => {
          state.current.held = {...wanted, nsPerPx};
          latest.current.loaded();
        },
        () => new Promise((resolve) => setTimeout(resolve, 1000)),
      )
      .then(() => {
        state.current.asking = false;
        ask();
      });
  };
  return (view) => {
    state.current.view = view;
    ask();
  };
}
