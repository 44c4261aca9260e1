// The timeline: all that ran, on one axis, of one run or of two with their steps aligned.

import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {Kernels, Timeline as TimelineHead} from '../generated/documents';
import {count} from '../format';
import {readRoute, setValues} from '../route';
import {texts} from '../texts';
import {KernelRow, RangePanel, SelectedSlice} from '../timeline/details';
import {layOut, type Row} from '../timeline/layout';
import {type RunModel, sharedRun} from '../timeline/model';
import type {Range} from '../timeline/overlay';
import type {Scene} from '../timeline/paint';
import {type Pick, pickRow} from '../timeline/pick';
import {reveal, Surface} from '../timeline/surface';
import {tipLines} from '../timeline/tip';
import {useFound, useLinked, useWindows} from '../timeline/watch';
import {View} from '../timeline/view';
import {useLoaded, useRunDocument, useShared} from '../widgets/context';
import {Clock} from '../widgets/small';

function Loading(props: {head: TimelineHead | null; error: string | null}) {
  const t = texts();
  if (props.error)
    return (
      <p class="error" role="alert">
        {props.error}
      </p>
    );
  const slices = props.head?.tracks.reduce((sum, track) => sum + track.count, 0);
  return (
    <p class="waiting" role="status">
      <Clock text={slices === undefined ? t.loading : t.timeline.reading(count(slices))} />
    </p>
  );
}

/** Steps of the two runs that lie above each other. */
function alignedShift(models: RunModel[], step: number): number {
  const starts = models.map((model) => model.steps?.start[step]);
  return starts[0] === undefined || starts[1] === undefined ? 0 : starts[0] - starts[1];
}

function useView(models: RunModel[]): View {
  return useMemo(() => {
    const first = models.reduce((least, model) => Math.min(least, model.head.start_ns ?? 0), Infinity);
    const last = models.reduce((most, model) => Math.max(most, (model.head.start_ns ?? 0) + model.head.span_ns), first + 1);
    const view = new View(first, last);
    view.width = 1000;
    const {from, to} = readRoute().values;
    if (from && to && Number(to) > Number(from)) view.show(Number(from), Number(to));
    else view.showAll();
    return view;
  }, [models[0].index, models.length]);
}

export function Timeline() {
  const {documents, runs, run, version} = useShared();
  const traces = runs.filter((r) => r.kind === 'trace');
  const other = traces.find((r) => r.index !== run);
  const [both, setBoth] = useState(
    readRoute().values.both !== '0' &&
      other !== undefined &&
      (documents.head.mode === 'report' || readRoute().values.both === '1'),
  );
  const head = useRunDocument<TimelineHead>('timeline');
  const wanted = both && other ? [run, other.index] : [run];
  const models = useLoaded<RunModel[]>(
    () => Promise.all(wanted.map((index) => sharedRun(documents, index, version))),
    [wanted.join(), version],
  );
  if (!models.value) return <Loading head={head.value} error={models.error ?? head.error} />;
  const names = models.value.map((model) => runs.find((r) => r.index === model.index)?.name ?? String(model.index));
  return (
    <Shown
      key={String(models.value.length)}
      models={models.value}
      names={names}
      canBoth={other !== undefined}
      both={both}
      onBoth={(value) => {
        setBoth(value);
        setValues({both: value ? '1' : '0'});
      }}
    />
  );
}

interface ShownProps {
  models: RunModel[];
  names: string[];
  canBoth: boolean;
  both: boolean;
  onBoth: (value: boolean) => void;
}

function Shown({models, names, canBoth, both, onBoth}: ShownProps) {
  const t = texts().timeline;
  const {say} = useShared();
  const [folded, setFolded] = useState<Set<string>>(new Set());
  const [picked, setPicked] = useState<{model: number; row: number; pick: Pick} | null>(null);
  const [range, setRange] = useState<Range | null>(null);
  const [query, setQuery] = useState(readRoute().values.q ?? '');
  const [alignedAt, setAlignedAt] = useState(0);
  const [, redraw] = useState(0);
  const kernels = useRunDocument<Kernels>('kernels', undefined, models[0].index);
  const view = useView(models);
  const box = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layOut(models, names, folded), [models, folded, names.join()]);
  const shifts = useMemo(() => models.map((_, m) => (m === 0 ? 0 : alignedShift(models, alignedAt))), [models, alignedAt]);
  const found = useFound(models, query);
  const [height, setHeight] = useState(480);
  const byName = useMemo(() => new Map<string, KernelRow>(kernels.value?.rows.map((row) => [row.name, row])), [kernels.value]);
  const scene = {models, shifts, rows: layout.rows, view, found: found?.lanes ?? null};
  const full = (): Scene => ({...scene, scroll: 0, width: view.width, height});
  const watchWindow = useWindows(models, shifts, () => redraw((n) => n + 1));
  const linked = useLinked(full, picked);
  const saved = useRef(0);

  useEffect(() => {
    const room = Math.max(280, window.innerHeight - (box.current?.getBoundingClientRect().top ?? 200) - 150);
    setHeight(Math.min(room, layout.height + 30));
  }, [layout.height]);
  useEffect(() => {
    const row = Number(readRoute().values.sel ?? NaN);
    const pick = Number.isNaN(row) ? null : pickRow(full(), 0, row);
    if (pick) setPicked({model: 0, row, pick});
    watchWindow(view);
    const links = window.setTimeout(() => models.forEach((model) => void model.loadLinks()), 300);
    return () => {
      clearTimeout(saved.current);
      clearTimeout(links);
    };
  }, []);

  const moved = (): void => {
    clearTimeout(saved.current);
    saved.current = window.setTimeout(
      () => setValues({from: String(Math.round(view.from)), to: String(Math.round(view.to))}),
      300,
    );
    watchWindow(view);
  };
  const select = (pick: Pick | null): void => {
    setPicked(pick ? {model: pick.model, row: pick.lane.row[pick.index], pick} : null);
    setValues({sel: pick && pick.model === 0 ? String(pick.lane.row[pick.index]) : ''});
  };
  const goTo = (pick: Pick): void => {
    select(pick);
    reveal(full(), pick, box.current?.querySelector<HTMLElement>('.tl') ?? null);
    moved();
  };
  const fold = (row: Row): void => {
    const next = new Set(folded);
    if (!next.delete(row.key)) next.add(row.key);
    setFolded(next);
  };
  const nextFound = (direction: number): void => {
    const next = found?.next(picked?.pick ?? null, direction, full());
    if (next) goTo(next);
    else say(t.noMore);
  };
  const align = (change: number): void => {
    const last = Math.min(...models.map((model) => (model.steps?.size ?? 1) - 1));
    const next = Math.max(0, Math.min(last, alignedAt + change));
    setAlignedAt(next);
    const steps = models[0].steps;
    if (!steps) return;
    const wide = Math.max(...models.map((model) => (model.steps ? model.steps.end[next] - model.steps.start[next] : 0)));
    view.show(steps.start[next] - wide * 0.05, steps.start[next] + wide * 1.05);
    moved();
  };

  return (
    <div ref={box}>
      <div class="tools">
        <input
          type="search"
          class="search"
          data-search
          placeholder={t.search}
          aria-label={t.search}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setValues({q: event.currentTarget.value});
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') nextFound(event.shiftKey ? -1 : 1);
          }}
        />
        {found ? (
          <>
            <button type="button" aria-label={t.previous} onClick={() => nextFound(-1)}>
              ‹
            </button>
            <button type="button" aria-label={t.next} onClick={() => nextFound(1)}>
              ›
            </button>
            <span class="muted" role="status">
              {models.every((model) => model.whole) ? t.found(found.slices, found.names) : t.foundNames(found.names)}
            </span>
          </>
        ) : null}
        {canBoth ? (
          <label>
            <input type="checkbox" checked={both} onChange={(event) => onBoth(event.currentTarget.checked)} /> {t.both}
          </label>
        ) : null}
        {models.length > 1 && models.every((model) => model.steps) ? (
          <span class="align">
            <button type="button" onClick={() => align(-1)} aria-label={t.previousStep}>
              ‹
            </button>{' '}
            {t.aligned(alignedAt)}{' '}
            <button type="button" onClick={() => align(1)} aria-label={t.nextStep}>
              ›
            </button>
          </span>
        ) : null}
        <span class="grow" />
        <button
          type="button"
          onClick={() => {
            view.showAll();
            redraw((n) => n + 1);
            moved();
          }}
        >
          {t.all}
        </button>
      </div>
      {layout.rows.length === 0 ? (
        <p>{t.none}</p>
      ) : (
        <Surface
          scene={scene}
          height={height}
          selected={picked?.pick ?? null}
          linked={linked}
          range={range}
          onSelect={select}
          onRange={setRange}
          onMoved={moved}
          onFold={fold}
          tipOf={(now, pick) =>
            tipLines(now, pick, pick.model === 0 ? byName.get(now.models[0].head.names[pick.lane.name[pick.index]]) : undefined)
          }
        />
      )}
      {models
        .flatMap((model) => model.head.warnings ?? [])
        .map((warning) => (
          <p class="muted">{warning}</p>
        ))}
      <p class="tl-hint">{t.hint.split('|').map((part, i) => (i % 2 === 1 ? <kbd>{part}</kbd> : part))}</p>
      {range
        ? models.map((model, m) => (
            <RangePanel model={model} range={range} shift={shifts[m]} name={models.length > 1 ? names[m] : ''} />
          ))
        : null}
      {picked ? (
        <SelectedSlice
          scene={full()}
          pick={picked.pick}
          linked={linked}
          onGo={goTo}
          kernel={picked.model === 0 ? byName.get(models[0].head.names[picked.pick.lane.name[picked.pick.index]]) : undefined}
        />
      ) : null}
    </div>
  );
}
