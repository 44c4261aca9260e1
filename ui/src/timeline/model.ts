// One run as the timeline sees it: tracks with lanes, counters, links from launches to kernels, steps, names.

import type {Documents} from '../data/documents';
import {readColumns} from '../data/columns';
import type {Cycles, Timeline as TimelineHead} from '../generated/documents';
import {shortName} from '../format';
import {familyColour, hostColour, phaseColour} from '../theme';
import {Lane, readLanes} from './lanes';
import {NameSearch} from './names';

export interface Counter {
  name: string;
  unit: string;
  place: string;
  time: Float64Array;
  value: Float64Array;
  low: number;
  high: number;
}

export interface Place {
  track: number;
  depth: number;
  index: number;
}

export class RunModel {
  lanes: Lane[][] = [];
  counters: Counter[] = [];
  steps: Lane | null = null;
  cycles: Cycles['cycles'] = [];
  readonly search: NameSearch;
  /** Colour of each name, as #rrggbb. */
  readonly nameColours: string[];
  /** All slices are loaded at once; of a large run the server gives those of the window. */
  readonly whole: boolean;
  private places: {track: Int32Array; depth: Uint8Array; index: Int32Array} | null = null;
  private links: {from: Float64Array; to: Float64Array} | null = null;
  /** By row: the row that launched it, or -1. */
  private launchers: Int32Array | null = null;

  constructor(
    readonly index: number,
    readonly head: TimelineHead,
    private readonly documents: Documents,
  ) {
    this.nameColours = head.names.map((name, i) => {
      const family = head.family_of_name[i];
      return family >= 0 ? familyColour(head.families[family]) : hostColour(name);
    });
    this.search = new NameSearch(head.names);
    this.whole = documents.head.mode === 'report' || !head.tiles;
  }

  /** Does some of the work that drawing and searching need; true: all is done. */
  prepare(untilMs: number): boolean {
    for (const lanes of this.lanes) {
      for (const lane of lanes) {
        if (performance.now() > untilMs) return false;
        if (!lane.prepared) lane.prepare();
      }
    }
    return this.search.prepare(untilMs);
  }

  short(name: number): string {
    return (
      this.head.short_names[name] ||
      (this.head.family_of_name[name] >= 0 ? shortName(this.head.names[name]) : this.head.names[name])
    );
  }

  family(name: number): string | null {
    return this.head.families[this.head.family_of_name[name]] ?? null;
  }

  async loadSlices(window?: {from: number; to: number; columns: number}): Promise<void> {
    const query: Record<string, string> =
      window === undefined
        ? {}
        : {
            from: String(Math.max(0, Math.floor(window.from))),
            to: String(Math.ceil(window.to)),
            columns: String(window.columns),
            tracks: this.head.tracks.map((track) => track.id).join(','),
          };
    const columns = readColumns(await this.documents.bytes(`run/${this.index}/slices`, query));
    this.lanes = readLanes(columns, this.head.tracks.length);
    this.places = null;
  }

  async loadCounters(): Promise<void> {
    if (this.head.counters.length === 0 || !this.documents.has(`run/${this.index}/counters`)) return;
    const columns = readColumns(await this.documents.bytes(`run/${this.index}/counters`));
    this.counters = this.head.counters.flatMap((entry) => {
      const time = columns.get(`time:${entry.id}`),
        value = columns.get(`value:${entry.id}`);
      if (!time || !value || time.length === 0) return [];
      let low = 0,
        high = -Infinity;
      for (const v of value) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
      if (high <= low) high = low + 1;
      return [
        {
          name: entry.name,
          unit: entry.unit ?? '',
          place: entry.device ?? '',
          low,
          high,
          time: time as Float64Array,
          value: value as Float64Array,
        },
      ];
    });
  }

  /** Steps become slices of a lane of their own, with names behind those of the run. */
  async loadSteps(): Promise<void> {
    if (!this.documents.has(`run/${this.index}/cycles`)) return;
    this.cycles = (await this.documents.json<Cycles>(`run/${this.index}/cycles`)).cycles;
    const first = this.cycles[0];
    const own = this.cycles.filter((c) => c.rank === first.rank && c.pid === first.pid);
    const base = this.nameColours.length;
    for (const cycle of own) {
      this.head.names.push(`${cycle.phase} ${cycle.index}`);
      this.head.family_of_name.push(-1);
      this.head.short_names.push(`${cycle.phase} ${cycle.index}`);
      this.nameColours.push(phaseColour(cycle.phase));
    }
    this.steps = new Lane(
      Float64Array.from(own, (c) => c.start_ns),
      Float64Array.from(own, (c) => c.start_ns + c.dur_ns),
      Int32Array.from(own, (_, i) => base + i),
      Int32Array.from(own, () => -1),
    );
  }

  /** The row that launched this one; -1 where that is not known (yet). */
  launcherOf(row: number): number {
    if (!this.launchers && this.links) {
      const most = this.links.to.reduce((a, b) => Math.max(a, b), -1);
      this.launchers = new Int32Array(most + 1).fill(-1);
      for (let i = 0; i < this.links.to.length; ++i) this.launchers[this.links.to[i]] = this.links.from[i];
    }
    return this.launchers?.[row] ?? -1;
  }

  async loadLinks(): Promise<{from: Float64Array; to: Float64Array}> {
    if (!this.links) {
      const empty = {from: new Float64Array(0), to: new Float64Array(0)};
      if (!this.documents.has(`run/${this.index}/links`)) return (this.links = empty);
      const columns = readColumns(await this.documents.bytes(`run/${this.index}/links`));
      this.links = {from: columns.get('from') as Float64Array, to: columns.get('to') as Float64Array};
    }
    return this.links;
  }

  /** Rows that this row launches, and that launch it. */
  async linked(row: number): Promise<{launches: number[]; launchedBy: number[]}> {
    const {from, to} = await this.loadLinks();
    const launches: number[] = [],
      launchedBy: number[] = [];
    for (let i = 0; i < from.length; ++i) {
      if (from[i] === row) launches.push(to[i]);
      if (to[i] === row) launchedBy.push(from[i]);
    }
    return {launches, launchedBy};
  }

  /** Where a row is drawn; null if it is not loaded. */
  placeOf(row: number): Place | null {
    this.places ??= this.makePlaces();
    const {track, depth, index} = this.places;
    return row >= 0 && row < track.length && track[row] >= 0 ? {track: track[row], depth: depth[row], index: index[row]} : null;
  }

  private makePlaces() {
    let most = -1;
    const each = (visit: (lane: Lane, t: number, d: number) => void): void =>
      this.lanes.forEach((lanes, t) => lanes.forEach((lane, d) => visit(lane, t, d)));
    each((lane) => {
      for (const row of lane.row) most = Math.max(most, row);
    });
    const track = new Int32Array(most + 1).fill(-1),
      depth = new Uint8Array(most + 1),
      index = new Int32Array(most + 1);
    each((lane, t, d) => {
      for (let i = 0; i < lane.size; ++i) {
        track[lane.row[i]] = t;
        depth[lane.row[i]] = d;
        index[lane.row[i]] = i;
      }
    });
    return {track, depth, index};
  }
}

export async function openRun(documents: Documents, index: number): Promise<RunModel> {
  const head = await documents.json<TimelineHead>(`run/${index}/timeline`);
  const model = new RunModel(
    index,
    {...head, names: [...head.names], family_of_name: [...head.family_of_name], short_names: [...head.short_names]},
    documents,
  );
  await Promise.all([model.loadSteps(), model.loadCounters(), model.whole ? model.loadSlices() : undefined]);
  return model;
}

const opened = new Map<string, Promise<RunModel>>();

/** A run that parts share; a live run is read again when its version grows. */
export function sharedRun(documents: Documents, index: number, version: number): Promise<RunModel> {
  const key = `${index} ${version}`;
  for (const old of [...opened.keys()]) if (old.startsWith(`${index} `) && old !== key) opened.delete(old);
  let promise = opened.get(key);
  if (!promise) {
    promise = openRun(documents, index);
    opened.set(key, promise);
    promise.catch(() => opened.delete(key));
  }
  return promise;
}
