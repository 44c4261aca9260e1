// What changed between two runs: how much, where, why, and the classic table.

import {useMemo} from 'preact/hooks';
import {Chart} from '../charts/chart';
import {intervals, pieces, seriesChart, waterfall} from '../charts/compare';
import type {Comparison, ComparisonWhy} from '../generated/documents';
import {chance, level, ratio, share, shortTime, time} from '../format';
import {setValues, useRoute} from '../route';
import {texts} from '../texts';
import {sharedRun} from '../timeline/model';
import {useLoaded, useShared} from '../widgets/context';
import {Choice, Fact, Lines, meaning, Panel, Waiting} from '../widgets/small';
import {type Column, Table} from '../widgets/table';
import {ByRank, ClassicRows, spread, whereColumns} from './compare_tables';
import {warningsOf} from './overview';

export const twoColours = ['#3b7dbf', '#d9731a'];
const of = (field: string): string => meaning('Comparison', field);

/** What the headline is about: "decode step", "step" where phases are not known, "launch". */
const stepOf = (c: Comparison): string => (c.change?.unit === 'launch' ? texts().launch : texts().stepOf(c.change?.phase ?? ''));

function HowMuch({c}: {c: Comparison}) {
  const t = texts().compare;
  if (!c.change) return null;
  const step = stepOf(c);
  return (
    <dl class="facts">
      <Fact label={t.change(step)} of="Comparison:change.ratio" note={`95%: ${spread(c.change.low, c.change.high)}`}>
        {ratio(c.change.ratio)}
      </Fact>
      {c.change.mean.ratio !== null ? (
        <Fact label={t.mean(step)} of="Comparison:change.mean.ratio" note={`95%: ${spread(c.change.mean.low, c.change.mean.high)}`}>
          {ratio(c.change.mean.ratio)}
        </Fact>
      ) : null}
      {c.change.by_phase
        .filter((p) => p.phase !== c.change!.phase)
        .map((p) => (
          <Fact label={t.change(texts().stepOf(p.phase))} of="Comparison:change.by_phase[].ratio" note={spread(p.low, p.high)}>
            {ratio(p.ratio)}
          </Fact>
        ))}
      {c.change.p99 ? (
        <Fact label={t.tail} of="Comparison:change.p99.ratio" note={spread(c.change.p99.low, c.change.p99.high)}>
          {ratio(c.change.p99.ratio)}
        </Fact>
      ) : null}
      <Fact label={t.cause} of="Comparison:verdict.class" note={c.verdict.resource ?? ''}>
        {c.verdict.class}
      </Fact>
      <Fact
        label={t.confidence}
        of="Comparison:verdict.confidence"
        note={c.verdict.explains === null ? '' : `${t.explains} ${share(c.verdict.explains)}`}
      >
        {c.verdict.confidence}
      </Fact>
    </dl>
  );
}

function Where({c, names}: {c: Comparison; names: string[]}) {
  const t = texts().compare;
  const route = useRoute();
  const phases = [...new Set(c.where.filter((w) => w.kind === 'part').map((w) => w.phase))].filter(
    (p): p is string => p !== null,
  );
  const phase = phases.includes(route.values.phase) ? route.values.phase : (c.change?.phase ?? phases[0]);
  const [normal, abnormal] = c.change?.by_phase.find((row) => row.phase === phase)?.step_ns ?? [null, null];
  const list = useMemo(
    () => (normal !== null && abnormal !== null && phase ? pieces(c.where, phase, normal, abnormal) : []),
    [c, phase, normal, abnormal],
  );
  if (list.length === 0 || normal === null || abnormal === null) return null;
  return (
    <Panel title={t.where} note={t.whereNote(texts().stepOf(phase!), ratio(abnormal / Math.max(1, normal)))}>
      {phases.length > 1 ? (
        <div class="tools">
          <Choice
            label={t.phase}
            value={phase!}
            options={phases.map((p) => [p, texts().stepOf(p)])}
            onChange={(value) => setValues({phase: value})}
          />
        </div>
      ) : null}
      <Chart
        label={t.where}
        height={30 + 27 * (list.length + 2)}
        keys={[list]}
        build={waterfall(list, normal, abnormal, names)}
      />
    </Panel>
  );
}

function RunColours({names}: {names: string[]}) {
  return (
    <ul class="legend">
      {names.map((name, i) => (
        <li>
          <span class="swatch" style={{background: twoColours[i]}} />
          {name}
        </li>
      ))}
    </ul>
  );
}

function CounterOverTime({why, runs, names}: {why: ComparisonWhy; runs: number[]; names: string[]}) {
  const {documents, version} = useShared();
  const models = useLoaded(
    () =>
      runs.every((r) => documents.has(`run/${r}/counters`))
        ? Promise.all(runs.map((r) => sharedRun(documents, r, version)))
        : null,
    [runs.join(), version],
  );
  const series = (models.value ?? []).flatMap((model, i) => {
    const counter =
      model.counters.find((x) => x.name === why.counter && x.place === why.device) ??
      model.counters.find((x) => x.name === why.counter);
    // Some meters go on after the trace; the chart shows the time of the trace, from its beginning: one may be a piece
    // of a longer recording.
    const start = model.head.start_ns ?? 0;
    const end = start + model.head.span_ns;
    const past = counter ? counter.time.findIndex((time) => time > end) : 0;
    const kept = past < 1 ? undefined : past;
    return counter
      ? [
          {
            time: counter.time.subarray(0, kept).map((at) => at - start),
            value: counter.value.subarray(0, kept),
            colour: twoColours[i],
            label: names[i],
          },
        ]
      : [];
  });
  if (series.length === 0) return null;
  return (
    <>
      <h3>
        {why.device} {why.counter}, {texts().compare.overTime}
      </h3>
      <RunColours names={names} />
      <Chart label={why.counter} height={150} keys={[why, models.value]} build={seriesChart(series, (value) => level(value, why.unit))} />
    </>
  );
}

function Why({c, runs, names}: {c: Comparison; runs: number[]; names: string[]}) {
  const t = texts().compare;
  const route = useRoute();
  const field = (id: string): string => of(`why[].${id}`);
  const columns: Array<Column<ComparisonWhy>> = [
    {
      id: 'counter',
      label: t.counter,
      title: field('counter'),
      value: (w) => w.counter,
      show: (w) => (
        <button type="button" class="link" onClick={() => setValues({counter: w.counter})}>
          {w.counter}
        </button>
      ),
    },
    {id: 'ratio', label: t.ratio, number: true, title: field('ratio'), value: (w) => w.ratio, show: (w) => ratio(w.ratio)},
    {
      id: 'normal',
      label: names[0],
      named: true,
      number: true,
      minor: true,
      title: field('normal'),
      value: (w) => w.normal,
      show: (w) => level(w.normal, w.unit),
    },
    {
      id: 'abnormal',
      label: names[1],
      named: true,
      number: true,
      minor: true,
      title: field('abnormal'),
      value: (w) => w.abnormal,
      show: (w) => level(w.abnormal, w.unit),
    },
    {
      id: 'interval',
      label: t.interval,
      number: true,
      minor: true,
      title: `${field('low')}; ${field('high')}`,
      value: (w) => w.low,
      show: (w) => spread(w.low, w.high),
    },
    {id: 'q', label: 'q', number: true, minor: true, title: field('q'), value: (w) => w.q, show: (w) => chance(w.q)},
    {
      id: 'role',
      label: t.role,
      title: field('role'),
      value: (w) => w.role,
      show: (w) => <span class={`pill ${w.role === 'cause' ? 'warm' : ''}`}>{w.role}</span>,
    },
    {id: 'device', label: t.device, minor: true, title: field('device'), value: (w) => w.device},
  ];
  if (c.why.length === 0) return null;
  const chosen = c.why.find((w) => w.counter === route.values.counter) ?? c.why[0];
  return (
    <Panel title={t.why} note={t.whyNote}>
      <Chart label={t.why} height={28 + 22 * Math.min(c.why.length, 20)} keys={[c]} build={intervals(c.why.slice(0, 20))} />
      <CounterOverTime why={chosen} runs={runs} names={names} />
      <Table name="why" label={t.why} rows={c.why} columns={columns} keyOf={(w) => `${w.device} ${w.counter}`} />
    </Panel>
  );
}

export function Compared({
  c,
  names,
  runs,
}: {
  c: Comparison;
  names: string[];
  runs: number[];
}) {
  const t = texts().compare;
  const warnings = warningsOf(c);
  const steps = c.step_ms.map((list, i) => ({
    time: list.map((_, k) => k),
    value: list.map((ms) => ms * 1e6),
    colour: twoColours[i],
    label: names[i],
  }));
  return (
    <>
      <h1>{c.verdict.text}</h1>
      {!c.comparable ? (
        <div class="error" role="alert">
          <p>{t.notComparable}</p>
          <Lines items={c.comparability.reasons} />
        </div>
      ) : null}
      <HowMuch c={c} />
      <Where c={c} names={names} />
      <ByRank c={c} />
      <Why c={c} runs={runs} names={names} />
      <div class="columns">
        {steps.some((s) => s.value.length > 0) ? (
          <Panel title={t.steps}>
            <RunColours names={names} />
            <Chart label={t.steps} height={180} keys={[c]} build={seriesChart(steps, (ns) => time(ns), true, shortTime)} />
          </Panel>
        ) : null}
        <Panel title={t.evidence}>
          <Lines items={c.evidence} />
          {c.seen.length > 0 ? (
            <>
              <h3>{t.seen}</h3>
              <Lines items={c.seen.map((s) => s.text)} />
            </>
          ) : null}
          {c.not_known.length > 0 ? (
            <>
              <h3>{t.notKnown}</h3>
              <Lines items={c.not_known} />
            </>
          ) : null}
          {c.next.length > 0 ? (
            <>
              <h3>{t.next}</h3>
              {c.next.map((n) => (
                <p>
                  {n.text}
                  {n.command ? <pre>{n.command}</pre> : null}
                </p>
              ))}
            </>
          ) : null}
          {warnings.length > 0 ? (
            <>
              <h3>{texts().overview.warnings}</h3>
              <Lines items={warnings} />
            </>
          ) : null}
        </Panel>
      </div>
      {c.where.length > 0 ? (
        <Panel title={t.table}>
          <Table
            name="compare"
            label={t.table}
            rows={c.where}
            columns={whereColumns()}
            keyOf={(w) => `${w.kind} ${w.phase} ${w.what}`}
            inAddress
            text={(w) => `${w.what} ${w.kind} ${w.phase ?? ''}`}
            limit={30}
          />
        </Panel>
      ) : null}
      {c.rows.length > 0 ? (
        <Panel title={t.classic}>
          <ClassicRows rows={c.rows} />
        </Panel>
      ) : null}
    </>
  );
}

export function Compare() {
  const t = texts().compare;
  const {documents, runs, version} = useShared();
  const route = useRoute();
  const serving = documents.head.mode === 'serve';
  const traces = runs.filter((r) => r.kind !== 'table');
  const normal = route.values.normal ?? String(traces[0]?.index ?? 0),
    abnormal = route.values.abnormal ?? String(traces[1]?.index ?? 1);
  const loaded = useLoaded<Comparison>(
    () => documents.json('compare', serving ? {normal, abnormal} : undefined),
    [normal, abnormal, version],
  );
  const ids = [Number(normal), Number(abnormal)];
  const names = ids.map((i, k) => runs.find((r) => r.index === i)?.name ?? loaded.value?.labels[k] ?? '');
  const choose = (key: string, value: string) => (
    <label>
      {key === 'normal' ? t.normal : t.abnormal}{' '}
      <select value={value} onChange={(event) => setValues({[key]: event.currentTarget.value})}>
        {traces.map((r) => (
          <option value={String(r.index)}>{r.name}</option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      {serving ? (
        <div class="tools">
          {choose('normal', normal)} {choose('abnormal', abnormal)}
        </div>
      ) : null}
      {loaded.value ? (
        <Compared c={loaded.value} names={names} runs={ids} />
      ) : (
        <Waiting of={loaded} />
      )}
    </>
  );
}
