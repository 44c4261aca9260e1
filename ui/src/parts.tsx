// The parts of the page, in the order in which people ask.

import type {ComponentType} from 'preact';
import type {RunsItem as RunEntry} from './generated/documents';
import type {Documents} from './data/documents';
import type {Info} from './generated/documents';
import {Bench} from './parts/bench';
import {Compare} from './parts/compare';
import {Flame} from './parts/flame';
import {Kernels} from './parts/kernels';
import {Notes} from './parts/notes';
import {Overview} from './parts/overview';
import {Ranks} from './parts/ranks';
import {Roofline} from './parts/roofline';
import {Runs} from './parts/runs';
import {Sql} from './parts/sql';
import {Steps} from './parts/steps';
import {Timeline} from './parts/timeline';
import type {Texts} from './texts';

interface Given {
  documents: Documents;
  runs: RunEntry[];
  run: number;
  info: Info | null;
}

interface Part {
  id: keyof Texts['parts'];
  view: ComponentType;
  /** Whether there is something to show. */
  shown: (given: Given) => boolean;
}

const serving = ({documents}: Given): boolean => documents.head.mode === 'serve';
const entry = ({runs, run}: Given): RunEntry | undefined => runs.find((r) => r.index === run);
/** Whether kernels have times; a light recording has launches only. */
const timed = (given: Given): boolean => entry(given)?.holds === 'kernels';
const isTrace = (given: Given): boolean => entry(given)?.kind === 'trace';
const holds = (given: Given, name: string): boolean => given.documents.has(`run/${given.run}/${name}`);
const some = (given: Given, kinds: string[]): boolean => given.runs.some((r) => kinds.includes(r.kind));
const ofRun =
  (name: string) =>
  (given: Given): boolean =>
    isTrace(given) && holds(given, name);
const manyRanks = (info: Info | null): boolean =>
  new Set(info?.processes.map((p) => p.rank).filter((rank) => rank !== null)).size > 1;

export const parts: Part[] = [
  {id: 'runs', view: Runs, shown: serving},
  {
    id: 'overview',
    view: Overview,
    shown: (given) => ['trace', 'table'].includes(entry(given)?.kind ?? '') && holds(given, 'overview'),
  },
  {id: 'steps', view: Steps, shown: ofRun('cycles')},
  {id: 'timeline', view: Timeline, shown: ofRun('timeline')},
  {
    id: 'kernels',
    view: Kernels,
    shown: (given) =>
      (holds(given, 'kernels') && (entry(given)?.holds ?? null) !== null) || (given.documents.has('table') && !serving(given)),
  },
  {
    id: 'roofline',
    view: Roofline,
    shown: (given) => (isTrace(given) && timed(given)) || (!serving(given) && given.documents.has('roofline')) || some(given, ['catalogue']),
  },
  {id: 'flame', view: Flame, shown: ofRun('flame')},
  {id: 'ranks', view: Ranks, shown: (given) => ofRun('ranks')(given) && (!serving(given) || manyRanks(given.info))},
  {
    id: 'compare',
    view: Compare,
    shown: (given) => (serving(given) ? given.runs.filter((r) => r.kind === 'trace').length > 1 : given.documents.has('compare')),
  },
  {id: 'bench', view: Bench, shown: (given) => (serving(given) ? some(given, ['results']) : given.documents.has('bench'))},
  {
    id: 'notes',
    view: Notes,
    shown: (given) =>
      serving(given)
        ? some(given, ['table', 'report', 'catalogue'])
        : ['table', 'opinion', 'operators'].some((name) => given.documents.has(name)),
  },
  {id: 'sql', view: Sql, shown: serving},
];
