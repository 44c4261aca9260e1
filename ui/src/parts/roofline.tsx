// How far from the bound: kernels of a run, or operators of the catalogue, as dots sized by time.

import {useMemo, useState} from 'preact/hooks';
import {Chart} from '../charts/chart';
import {boundScene, type Dot, rooflineScene} from '../charts/roofline';
import type {Kernels, Roofline as RooflineDocument, RooflineRows} from '../generated/documents';
import {count, dims, scaled, share, shortName, time} from '../format';
import {setValues, useRoute} from '../route';
import {texts} from '../texts';
import {familyColour} from '../theme';
import {useLoaded, useRunDocument, useShared} from '../widgets/context';
import {Choice, Fact, meaning, Panel, Waiting} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

type KernelRow = Kernels['rows'][number];

/** GPU time that would be saved if every kernel below `goal` ran at `goal` of its bound; bounds that count only what is certain are left out. */
function savedAt(rows: KernelRow[], goal: number): number {
  let saved = 0;
  for (const row of rows) {
    if (!row.bound || row.bound.at_least || row.bound.s >= goal) continue;
    saved += row.total_ns * row.bound.covered * (1 - row.bound.s / goal);
  }
  return saved;
}

function OfRun({kernels}: {kernels: Kernels}) {
  const t = texts().roofline;
  const {run} = useShared();
  const [goal, setGoal] = useState(90);
  const rows = useMemo(() => kernels.rows.filter((row) => row.bound), [kernels]);
  const saved = savedAt(kernels.rows, goal / 100);
  const dots: Dot[] = rows.map((row) => ({
    x: row.bound!.t_sol_ns / Math.max(1, row.instances * row.bound!.covered),
    y: row.avg_ns,
    size: row.total_ns,
    colour: familyColour(row.family),
    hollow: row.bound!.at_least,
    label: `${shortName(row.name)}\n${dims(row.input_dims)}\nS ${row.bound!.at_least ? '≥ ' : ''}${share(row.bound!.s)} (${row.bound!.limited_by}) · ${time(row.avg_ns)} ${t.each}\n${share(row.total_ns / Math.max(1, kernels.total_ns ?? 0))} ${t.ofTime}`,
    open: `kernels?run=${run}&row=${encodeURIComponent(row.name)}`,
  }));
  if (rows.length === 0)
    return (
      <Panel title={t.title}>
        <p>{t.none}</p>
        {kernels.bounds.reasons.map((reason) => (
          <p>{reason}</p>
        ))}
      </Panel>
    );
  return (
    <>
      <Panel title={t.title} note={t.runNote(kernels.bounds.hardware ?? texts().unknown, share(kernels.bounds.coverage))}>
        <dl class="facts">
          <Fact label={t.now} of="Kernels:bounds.s">
            {share(kernels.bounds.s)}
          </Fact>
          <Fact label={t.saved} title={t.savedMeaning} note={share(saved / Math.max(1, kernels.total_ns ?? 0))}>
            {time(saved)}
          </Fact>
        </dl>
        <label class="slider">
          {t.whatIf}{' '}
          <input type="range" min="5" max="100" value={goal} onInput={(event) => setGoal(Number(event.currentTarget.value))} />{' '}
          <strong>S = {goal}%</strong>
        </label>
        <Chart label={t.title} height={420} keys={[rows, goal]} build={boundScene(dots, goal / 100)} />
      </Panel>
      <Panel title={t.gains} note={t.gainsNote}>
        <Gains kernels={kernels} />
      </Panel>
    </>
  );
}

function Gains({kernels}: {kernels: Kernels}) {
  const t = texts().roofline;
  type Gain = Kernels['bounds']['gains'][number];
  const title = (field: string): string => meaning('Kernels', `bounds.gains[].${field}`);
  const columns: Array<Column<Gain>> = [
    {
      id: 'saved',
      label: t.saves,
      number: true,
      title: title('saved_ns'),
      value: (g) => g.saved_ns,
      show: (g) => time(g.saved_ns),
    },
    {id: 'share', label: t.share, number: true, title: title('share'), value: (g) => g.share, show: (g) => share(g.share)},
    {id: 's', label: 'S', number: true, title: title('s'), value: (g) => g.s, show: (g) => share(g.s)},
    {id: 'what', label: t.what, wide: true, title: title('what'), value: (g) => g.what},
    {
      id: 'kernel',
      label: texts().kernels.kernel,
      minor: true,
      title: title('kernel'),
      value: (g) => g.kernel,
      show: (g) => (
        <span class="clip" title={g.kernel}>
          {shortName(g.kernel)}
        </span>
      ),
    },
  ];
  return (
    <Table
      name="gains"
      label={t.gains}
      rows={kernels.bounds.gains}
      columns={columns}
      keyOf={(g) => `${g.what} ${g.kernel}`}
      sort="-saved"
      text={(g) => `${g.what} ${g.kernel}`}
    />
  );
}

function shapeColumns(machines: string[]): Array<Column<RooflineRows>> {
  const t = texts().roofline;
  const title = (field: string): string => meaning('Roofline', `rows[].${field}`);
  return [
    {id: 'operator', label: t.operator, title: title('operator'), value: (r) => r.operator},
    {id: 'label', label: t.shape, wide: true, title: title('label'), value: (r) => r.label},
    {
      id: 'ai',
      label: t.intensity,
      number: true,
      minor: true,
      title: title('ai'),
      value: (r) => r.ai,
      show: (r) => scaled(r.ai, 'FLOP/B'),
    },
    {id: 'W', label: t.work, number: true, minor: true, title: title('W'), value: (r) => r.W, show: (r) => scaled(r.W, 'FLOP')},
    {
      id: 'Q',
      label: t.bytes,
      number: true,
      minor: true,
      title: `${title('Q_read')}; ${title('Q_write')}`,
      value: (r) => r.Q_read + r.Q_write,
      show: (r) => scaled(r.Q_read + r.Q_write, 'B'),
    },
    ...machines.flatMap(
      (machine): Array<Column<RooflineRows>> => [
        {
          id: `sol ${machine}`,
          label: `${t.bound} ${machine}`,
          number: true,
          title: title('t_sol_ns'),
          value: (r) => r.t_sol_ns[machine],
          show: (r) => time(r.t_sol_ns[machine]),
        },
        {
          id: `s ${machine}`,
          label: `S ${machine}`,
          number: true,
          minor: true,
          title: title('s'),
          value: (r) => r.s[machine],
          show: (r) => share(r.s[machine]),
        },
      ],
    ),
  ];
}

function OfCatalogue({roofline}: {roofline: RooflineDocument}) {
  const t = texts().roofline;
  const route = useRoute();
  const all = roofline.hardware.map((h) => h.name);
  const timed = all.filter((name) =>
    roofline.rows.some((row) => row.t_prod_ns[name] !== null && row.t_prod_ns[name] !== undefined),
  );
  const chosen = (route.values.machines ?? (timed.length > 0 ? timed : all).slice(0, 3).join('.'))
    .split('.')
    .filter((name) => all.includes(name));
  const operator = route.values.operator ?? '';
  const rows = useMemo(() => roofline.rows.filter((row) => operator === '' || row.operator === operator), [roofline, operator]);
  const toggle = (name: string): void =>
    setValues({machines: (chosen.includes(name) ? chosen.filter((m) => m !== name) : [...chosen, name]).join('.') || all[0]});
  return (
    <>
      <Panel title={t.catalogue} note={t.catalogueNote(roofline.model, count(roofline.rows.length))}>
        <dl class="facts">
          {chosen
            .map((name) => roofline.scores[name])
            .map((score, i) => (
              <Fact label={`${t.score} ${chosen[i]}`} of="Roofline:scores.*.weighted_s" note={t.timed(score?.timed_shapes ?? 0)}>
                {share(score?.weighted_s)}
              </Fact>
            ))}
        </dl>
        <div class="tools">
          {all.map((name) => (
            <label>
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} /> {name}
            </label>
          ))}
          <select aria-label={t.operator} value={operator} onChange={(event) => setValues({operator: event.currentTarget.value})}>
            <option value="">{t.allOperators}</option>
            {roofline.operators.map((o) => (
              <option value={o.name}>{o.name}</option>
            ))}
          </select>
        </div>
        <Chart label={t.catalogue} height={420} keys={[rows, chosen.join()]} build={rooflineScene(roofline, rows, chosen)} />
      </Panel>
      <Panel title={t.shapes}>
        <Table
          name="roofline"
          label={t.shapes}
          rows={rows}
          columns={shapeColumns(chosen)}
          keyOf={(r) => `${r.operator}/${r.shape}`}
          inAddress
          text={(r) => `${r.operator} ${r.label} ${r.framework ?? ''} ${r.phase ?? ''}`}
        />
      </Panel>
      {roofline.warnings.length > 0 ? (
        <Panel title={texts().overview.warnings}>
          {roofline.warnings.map((w) => (
            <p>{w}</p>
          ))}
        </Panel>
      ) : null}
    </>
  );
}

export function Roofline() {
  const t = texts().roofline;
  const {documents, run, runs} = useShared();
  const route = useRoute();
  const isRun = runs.some((r) => r.index === run && r.holds === 'kernels');
  const hasCatalogue = documents.head.mode === 'serve' || documents.has('roofline');
  const source = route.values.of ?? (isRun ? 'run' : 'catalogue');
  const kernels = useRunDocument<Kernels>('kernels');
  const roofline = useLoaded<RooflineDocument>(
    () => (source === 'catalogue' && hasCatalogue ? documents.json('roofline') : null),
    [source, hasCatalogue],
  );
  return (
    <>
      {isRun && hasCatalogue ? (
        <div class="tools">
          <Choice
            label={t.title}
            value={source}
            options={[
              ['run', t.ofRun],
              ['catalogue', t.catalogue],
            ]}
            onChange={(value) => setValues({of: value})}
          />
        </div>
      ) : null}
      {source === 'run' ? (
        kernels.value ? (
          <OfRun kernels={kernels.value} />
        ) : (
          <Waiting of={kernels} />
        )
      ) : roofline.value ? (
        <OfCatalogue roofline={roofline.value} />
      ) : (
        <Waiting of={roofline} />
      )}
    </>
  );
}
