// All steps: strips per rank, their distribution, a table.

import {useMemo} from 'preact/hooks';
import {Chart} from '../charts/chart';
import {histogram} from '../charts/histogram';
import {type Cycle, findOutliers, openStep, stepStrip} from '../charts/steps';
import type {Cycles, Kernels} from '../generated/documents';
import {count, share, shortTime, tail, time} from '../format';
import {setValues, useRoute} from '../route';
import {texts} from '../texts';
import {phaseColour} from '../theme';
import {useLoaded, useRunDocument, useShared} from '../widgets/context';
import {Choice, Fact, meaning, Panel, Waiting} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

/** Steps by rank; by process where ranks are not known. */
function byRank(cycles: Cycle[]): Array<[string, Cycle[]]> {
  const groups = new Map<string, Cycle[]>();
  for (const cycle of cycles) {
    const key = cycle.rank !== null ? `rank ${cycle.rank}` : cycle.pid !== null ? `pid ${cycle.pid}` : '';
    groups.set(key, [...(groups.get(key) ?? []), cycle]);
  }
  return [...groups];
}

function stepColumns(run: number, cycles: Cycle[], outliers: Set<Cycle>): Array<Column<Cycle>> {
  const t = texts().steps;
  const of = (field: string): string => meaning('Cycles', `cycles[].${field}`);
  /** A column that no step has a value for is hidden until it is chosen. */
  const empty = (field: 'tokens' | 'sequences'): boolean => cycles.every((cycle) => cycle[field] === null);
  return [
    {
      id: 'index',
      label: t.step,
      title: of('index'),
      value: (c) => c.index,
      number: true,
      show: (c) => (
        <button type="button" class="link" onClick={() => openStep(c, run)} title={t.openTimeline}>
          {c.index}
        </button>
      ),
    },
    {
      id: 'phase',
      label: t.phase,
      title: of('phase'),
      value: (c) => c.phase,
      show: (c) => (
        <>
          <span class="swatch" style={{background: phaseColour(c.phase)}} />
          {c.phase}
          {outliers.has(c) ? <span class="pill warm">▲ {t.outlier}</span> : null}
        </>
      ),
    },
    {id: 'dur', label: t.time, title: of('dur_ns'), value: (c) => c.dur_ns, show: (c) => time(c.dur_ns), number: true},
    {
      id: 'busy',
      label: t.busy,
      title: of('gpu_busy_ns'),
      value: (c) => (c.gpu_busy_ns === null ? null : c.gpu_busy_ns / Math.max(1, c.dur_ns)),
      show: (c) => share(c.gpu_busy_ns === null ? null : c.gpu_busy_ns / Math.max(1, c.dur_ns)),
      number: true,
    },
    {
      id: 'launches',
      label: t.launches,
      title: of('launches'),
      value: (c) => c.launches,
      show: (c) => count(c.launches),
      number: true,
      minor: true,
    },
    {
      id: 'tokens',
      label: t.tokens,
      title: of('tokens'),
      value: (c) => c.tokens,
      show: (c) => count(c.tokens),
      number: true,
      minor: true,
      extra: empty('tokens'),
    },
    {
      id: 'sequences',
      label: t.sequences,
      title: of('sequences'),
      value: (c) => c.sequences,
      show: (c) => count(c.sequences),
      number: true,
      minor: true,
      extra: empty('sequences'),
    },
    {
      id: 'context',
      label: t.context,
      title: of('context'),
      value: (c) => c.context,
      show: (c) => count(c.context),
      number: true,
      minor: true,
      extra: true,
    },
    {
      id: 'start',
      label: t.start,
      title: of('start_ns'),
      value: (c) => c.start_ns,
      show: (c) => time(c.start_ns),
      number: true,
      minor: true,
    },
    {id: 'rank', label: t.rank, title: of('rank'), value: (c) => c.rank, number: true, minor: true, extra: true},
  ];
}

export function Steps() {
  const t = texts().steps;
  const {documents, run, runs, version} = useShared();
  const route = useRoute();
  const loaded = useRunDocument<Cycles>('cycles');
  const light = runs.some((r) => r.index === run && r.holds === 'launches');
  const kernels = useLoaded<Kernels>(() => (light ? documents.json(`run/${run}/kernels`) : null), [light, run, version]);
  // Steps have GPU times of their own only where no kernel has one.
  const onGpu = kernels.value?.launches?.gpu_times.find((row) => !row.is_graph && row.name === loaded.value?.anchor);
  const cycles = loaded.value?.cycles ?? [];
  const outliers = useMemo(() => findOutliers(cycles), [cycles]);
  if (!loaded.value) return <Waiting of={loaded} />;
  if (cycles.length === 0)
    return (
      <Panel title={t.title}>
        <p>{t.none}</p>
      </Panel>
    );
  const phases = loaded.value.phases;
  const phase =
    phases.find((p) => p.phase === route.values.phase) ?? phases.reduce((a, b) => (b.cycles > a.cycles ? b : a), phases[0]);
  const ofPhase = cycles.filter((c) => c.phase === phase?.phase && c.complete);
  const end = tail(phase.cycles, phase.p99_ns, phase.max_ns);
  const from = Math.min(0, cycles[0].start_ns);
  const to = cycles.reduce((a, c) => Math.max(a, c.start_ns + c.dur_ns), 0);
  return (
    <>
      <Panel title={t.title} note={`${loaded.value.anchor ?? ''} · ${t.click}`}>
        <ul class="legend">
          {phases.map((p) => (
            <li>
              <span class="swatch" style={{background: phaseColour(p.phase)}} />
              {texts().stepOf(p.phase)} ({count(p.cycles)})
            </li>
          ))}
          {outliers.size > 0 ? <li>▼ {t.outlierMeaning(outliers.size)}</li> : null}
        </ul>
        {byRank(cycles).map(([rank, steps]) => (
          <div class="strip">
            <span class="muted">{rank}</span>
            <Chart
              label={`${t.title} ${rank}`}
              height={62}
              list={false}
              keys={[steps, outliers]}
              build={stepStrip(steps, outliers, run, from, to)}
            />
          </div>
        ))}
      </Panel>
      {phase ? (
        <Panel title={t.distribution}>
          <div class="tools">
            <Choice
              label={t.phase}
              value={phase.phase}
              options={phases.map((p) => [p.phase, texts().stepOf(p.phase)])}
              onChange={(value) => setValues({phase: value})}
            />
          </div>
          <dl class="facts">
            <Fact label="p50" of="Cycles:phases[].med_ns">
              {time(phase.med_ns)}
            </Fact>
            <Fact label={end.name} of={`Cycles:phases[].${phase.cycles >= 100 ? 'p99_ns' : 'max_ns'}`}>
              {time(end.ns)}
            </Fact>
            <Fact label={t.busy} of="Cycles:phases[].gpu_busy">
              {share(phase.gpu_busy)}
            </Fact>
            {onGpu ? (
              <Fact label={t.onGpu} of="Kernels:launches.gpu_times[].med_ns" note={texts().overview.onGpuMeaning}>
                {time(onGpu.med_ns)}
              </Fact>
            ) : null}
            <Fact label={t.launches} of="Cycles:phases[].launches">
              {count(phase.launches)}
            </Fact>
            {phase.tokens_per_second !== null ? (
              <Fact label={t.tokensPerSecond} of="Cycles:phases[].tokens_per_second">
                {count(phase.tokens_per_second)}
              </Fact>
            ) : null}
          </dl>
          <Chart
            label={t.distribution}
            height={150}
            keys={[ofPhase.length, phase.phase]}
            build={histogram(
              ofPhase.map((c) => c.dur_ns),
              phaseColour(phase.phase),
              [
                [phase.med_ns, 'p50'],
                [end.ns, end.name],
              ]
                .filter(([v], i) => v !== null && (i === 0 || v !== phase.med_ns))
                .map(([v, name]) => ({value: v as number, text: `${name} ${shortTime(v as number)}`})),
            )}
          />
        </Panel>
      ) : null}
      <Panel title={t.table}>
        <Table
          name="steps"
          label={t.table}
          rows={cycles}
          columns={stepColumns(run, cycles, outliers)}
          keyOf={(c) => `${c.rank ?? c.pid ?? ''} ${c.index}`}
          inAddress
          text={(c) => `${c.index} ${c.phase} ${outliers.has(c) ? t.outlier : ''}`}
        />
      </Panel>
    </>
  );
}
