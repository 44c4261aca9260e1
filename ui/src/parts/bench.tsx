// Results of a benchmark: S per shape, and candidates and rivals side by side.

import {useMemo} from 'preact/hooks';
import {Chart, type Build, type Scene} from '../charts/chart';
import {histogram} from '../charts/histogram';
import {gridX, linear} from '../charts/scales';
import type {Bench as BenchDocument, BenchResults} from '../generated/documents';
import {count, share, shortTime, time} from '../format';
import {texts} from '../texts';
import {useLoaded, useShared} from '../widgets/context';
import {Fact, Lines, meaning, Panel, Waiting} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

const of = (field: string): string => meaning('Bench', `results[].${field}`);
const candidateColours = ['#3b7dbf', '#e08e0b', '#2a9d8f', '#8d63b0', '#c8443c'];

/** A row per operator, a dot per shape at its S. */
function sDots(results: BenchResults[], candidates: string[]): Build {
  const operators = [...new Set(results.map((r) => r.operator))];
  return (width, height, c) => {
    const scene: Scene = {marks: [], lines: [], notes: []};
    const labelWidth = Math.min(220, width * 0.36);
    const frame = {left: labelWidth, right: width - 16, top: 4, bottom: height - 22};
    const x = linear(0, 1.05, frame.left, frame.right, 6);
    gridX(scene, frame, x, (v) => share(v), c);
    const row = (frame.bottom - frame.top) / Math.max(1, operators.length);
    scene.lines!.push({points: [x.at(1), frame.top, x.at(1), frame.bottom], colour: c.good, width: 1.5});
    operators.forEach((operator, i) => {
      const y = frame.top + i * row + row / 2;
      scene.lines!.push({points: [frame.left, y, frame.right, y], colour: c.line});
      scene.notes!.push({x: labelWidth - 8, y: y + 4, text: operator, align: 'right', colour: c.text});
    });
    for (const r of results) {
      if (typeof r.s !== 'number') continue;
      const y = frame.top + operators.indexOf(r.operator) * row + row / 2;
      const k = candidates.indexOf(r.candidate);
      const shift = candidates.length > 1 ? (k - (candidates.length - 1) / 2) * Math.min(5, row / 5) : 0;
      scene.marks.push({
        x: x.at(Math.min(r.s, 1.05)) - 4,
        y: y - 4 + shift,
        w: 8,
        h: 8,
        round: true,
        colour: candidateColours[k % 5],
        label: `${r.operator}/${r.shape}, ${r.candidate}: S ${share(r.s)}\n${time(r.t_ns)}, ${texts().roofline.bound} ${time(r.t_sol_ns)}${r.rival ? `\n${r.rival.name}: ${time(r.rival.t_ns)}` : ''}`,
      });
    }
    return scene;
  };
}

function Detail({r}: {r: BenchResults}) {
  const t = texts().bench;
  const samples = r.samples ?? [];
  return (
    <div class="detail-grid">
      <div>
        <dl class="label-lines">
          {r.reason ? (
            <>
              <dt>{t.reason}</dt>
              <dd>{r.reason}</dd>
            </>
          ) : null}
          {r.note ? (
            <>
              <dt>{t.note}</dt>
              <dd>{r.note}</dd>
            </>
          ) : null}
          <dt title={of('options')}>{t.options}</dt>
          <dd>{r.options ?? texts().unknown}</dd>
          <dt title={of('max_rel_err')}>{t.error}</dt>
          <dd>{r.max_rel_err ?? texts().unknown}</dd>
          <dt title={of('checked')}>{t.checked}</dt>
          <dd>
            {count(r.checked)}
            {r.mismatch ? `, ${count(r.mismatch)} ${t.wrong}` : ''}
          </dd>
          {r.tolerance ? (
            <>
              <dt>{t.tolerance}</dt>
              <dd>{r.tolerance}</dd>
            </>
          ) : null}
          <dt title={of('touch_floor_ns')}>{t.touch}</dt>
          <dd>{time(r.touch_floor_ns)}</dd>
          <dt title={of('copy_ns')}>{t.copy}</dt>
          <dd>{time(r.copy_ns)}</dd>
        </dl>
        {r.failure ? (
          <>
            <h3>{t.failure}</h3>
            <Lines items={[...r.failure.pattern, ...r.failure.mistakes.map((m) => m.text)]} />
          </>
        ) : null}
      </div>
      <div>
        {samples.length > 1 ? (
          <Chart
            label={t.samples}
            height={120}
            keys={[r]}
            build={histogram(samples, candidateColours[0], r.t_ns ? [{value: r.t_ns, text: `p50 ${shortTime(r.t_ns)}`}] : [])}
          />
        ) : null}
        {r.rivals?.length ? (
          <>
            <h3>{t.rivals}</h3>
            <Lines items={r.rivals.map((x) => `${x.name}: ${x.skipped ?? time(x.t_ns)}${x.note ? ` (${x.note})` : ''}`)} />
          </>
        ) : null}
      </div>
    </div>
  );
}

function resultColumns(): Array<Column<BenchResults>> {
  const t = texts().bench;
  return [
    {id: 'operator', label: t.operator, title: of('operator'), value: (r) => r.operator},
    {id: 'shape', label: t.shape, title: of('shape'), value: (r) => r.shape},
    {id: 's', label: 'S', number: true, title: of('s'), value: (r) => r.s, show: (r) => share(r.s)},
    {id: 't', label: t.time, number: true, title: of('t_ns'), value: (r) => r.t_ns, show: (r) => time(r.t_ns)},
    {
      id: 'interval',
      label: t.interval,
      number: true,
      minor: true,
      title: `${of('t_low_ns')} – ${of('t_high_ns')}`,
      value: (r) => r.t_low_ns,
      show: (r) =>
        typeof r.t_low_ns !== 'number' ? texts().unknown : `${shortTime(r.t_low_ns)} – ${shortTime(r.t_high_ns ?? 0)}`,
    },
    {
      id: 'sol',
      label: texts().roofline.bound,
      number: true,
      minor: true,
      title: of('t_sol_ns'),
      value: (r) => r.t_sol_ns,
      show: (r) => time(r.t_sol_ns),
    },
    {
      id: 'launch',
      label: t.withLaunch,
      number: true,
      minor: true,
      extra: true,
      title: of('s_with_launch'),
      value: (r) => r.s_with_launch,
      show: (r) => share(r.s_with_launch),
    },
    {
      id: 'rival',
      label: t.rival,
      minor: true,
      title: of('rival'),
      value: (r) => r.rival?.t_ns ?? null,
      show: (r) => (r.rival ? `${r.rival.name} ${time(r.rival.t_ns)}` : '–'),
    },
    {id: 'candidate', label: t.candidate, minor: true, title: of('candidate'), value: (r) => r.candidate},
    {
      id: 'status',
      label: t.status,
      title: of('status'),
      value: (r) => r.status,
      show: (r) => (
        <span
          class={`pill ${isRight(r) || r.status === 'skipped' ? '' : 'warm'}`}
          title={r.reason ?? ''}
        >
          {r.status}
        </span>
      ),
    },
  ];
}

const isRight = (r: BenchResults): boolean => r.status === 'ok' || r.status === 'right';

/** What is wrong first, then what was timed, then what was left out. */
function inOrder(results: BenchResults[]): BenchResults[] {
  const place = (r: BenchResults): number => (r.status === 'skipped' ? 2 : isRight(r) ? 1 : 0);
  return [...results].sort((a, b) => place(a) - place(b));
}

export function Bench() {
  const t = texts().bench;
  const {documents} = useShared();
  const loaded = useLoaded<BenchDocument>(() => documents.json('bench'), []);
  const timed = useMemo(() => loaded.value?.results.filter((r) => typeof r.s === 'number') ?? [], [loaded.value]);
  const ordered = useMemo(() => inOrder(loaded.value?.results ?? []), [loaded.value]);
  if (!loaded.value) return <Waiting of={loaded} />;
  const b = loaded.value;
  const candidates = [...new Set(b.results.map((r) => r.candidate))];
  const operators = new Set(timed.map((r) => r.operator)).size;
  return (
    <>
      <dl class="facts">
        <Fact label={t.machine} of="Bench:hardware.name" note={b.hardware.date}>
          {b.hardware.name}
        </Fact>
        {b.score ? (
          <Fact label={t.score} of="Bench:score.weighted_s" note={`${t.covers} ${share(b.score.covered_importance)}`}>
            {share(b.score.weighted_s)}
          </Fact>
        ) : null}
        <Fact label={t.results} of="Bench:results">
          {count(b.results.length)}
        </Fact>
        <Fact label={t.timed} of="Bench:results[].t_ns">
          {count(timed.length)}
        </Fact>
        <Fact label={t.notRight} of="Bench:results[].status">
          {count(b.results.filter((r) => !isRight(r) && r.status !== 'skipped').length)}
        </Fact>
      </dl>
      <Panel title={t.title} note={t.titleNote}>
        <ul class="legend">
          {candidates.map((name, i) => (
            <li>
              <span class="swatch" style={{background: candidateColours[i % 5]}} />
              {name}
            </li>
          ))}
        </ul>
        <Chart label={t.title} height={28 + 20 * Math.max(1, operators)} keys={[timed]} build={sDots(timed, candidates)} />
      </Panel>
      <Panel title={t.results}>
        <Table
          name="bench"
          label={t.results}
          rows={ordered}
          columns={resultColumns()}
          keyOf={(r) => `${r.operator}/${r.shape} ${r.candidate}`}
          inAddress
          text={(r) => `${r.operator} ${r.shape} ${r.candidate} ${r.status}`}
          open={(r) => <Detail r={r} />}
        />
      </Panel>
      {b.warnings.length > 0 ? (
        <Panel title={texts().overview.warnings}>
          <Lines items={b.warnings} />
        </Panel>
      ) : null}
    </>
  );
}
