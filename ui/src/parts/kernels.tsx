// The kernel table of a run (or of a kernel-summary text), by kernel, family, operator, source or module.

import {useMemo} from 'preact/hooks';
import type {Cycles, Kernels as KernelsDocument, Timeline as TimelineHead} from '../generated/documents';
import {count, dims, place, share, shortName, time} from '../format';
import {setValues, useRoute} from '../route';
import {texts} from '../texts';
import {familyColour} from '../theme';
import {useLoaded, useRunDocument, useShared} from '../widgets/context';
import {Choice, meaning, Panel, Waiting} from '../widgets/small';
import {type Column, Table} from '../widgets/table';
import type {Whole} from '../data/whole';
import {KernelDetail} from './kernel_detail';
import {Launches} from './launches';

type KernelRow = KernelsDocument['rows'][number];
type ModuleRow = Required<NonNullable<KernelsDocument['modules']>[number]>;

const of = (field: string): string => meaning('Kernels', `rows[].${field}`);

function sCell(row: KernelRow) {
  if (!row.bound) return <span class="muted">–</span>;
  return (
    <>
      <span class="meter" aria-hidden="true">
        <span style={{width: `${Math.min(1, row.bound.s) * 100}%`}} />
      </span>
      {row.bound.at_least ? '≥' : ''}
      {share(row.bound.s)} <span class="muted">{row.bound.limited_by}</span>
    </>
  );
}

export function kernelColumns(shorts: Map<string, string>): Array<Column<KernelRow>> {
  const t = texts().kernels;
  const short = (row: KernelRow): string => shorts.get(row.name) || shortName(row.name);
  const ns = (id: keyof KernelRow, label: string, extra = false, minor = true): Column<KernelRow> => ({
    id,
    label,
    extra,
    minor,
    number: true,
    title: of(id),
    value: (row) => row[id] as number | null,
    show: (row) => time(row[id] as number | null),
  });
  const text = (id: keyof KernelRow, label: string, extra = false): Column<KernelRow> => ({
    id,
    label,
    extra,
    minor: true,
    title: of(id),
    value: (row) => (row[id] ?? null) as string | null,
    show: (row) => (row[id] as string | null) ?? <span class="muted">–</span>,
  });
  return [
    {
      id: 'time_pct',
      label: t.time,
      number: true,
      title: of('time_pct'),
      value: (row) => row.time_pct,
      show: (row) => `${row.time_pct.toFixed(1)}%`,
    },
    ns('total_ns', t.total, false, false),
    {
      id: 'name',
      label: t.kernel,
      title: of('name'),
      value: (row) => row.name,
      show: (row) => (
        <span class="clip" title={row.name}>
          {short(row)}
        </span>
      ),
    },
    {
      id: 'instances',
      label: t.count,
      number: true,
      minor: true,
      title: of('instances'),
      value: (row) => row.instances,
      show: (row) => count(row.instances),
    },
    ns('med_ns', t.median),
    ns('p99_ns', 'p99'),
    ns('avg_ns', t.mean, true),
    {id: 's', label: 'S', minor: true, title: of('bound.s'), value: (row) => row.bound?.s ?? null, show: sCell},
    {
      id: 'family',
      label: `${t.family} · ${t.operator}`,
      minor: true,
      title: `${of('family')}; ${of('operator')}`,
      value: (row) => row.family,
      show: (row) => (
        <>
          <span class="swatch" style={{background: familyColour(row.family)}} />
          {row.family}
          {row.operator && row.operator !== row.family ? <span class="muted"> · {row.operator}</span> : null}
        </>
      ),
    },
    text('operator', t.operator, true),
    {
      id: 'shapes',
      label: t.shapes,
      minor: true,
      title: of('input_dims'),
      value: (row) => dims(row.input_dims),
      show: (row) => (
        <span class="clip narrow" title={dims(row.input_dims)}>
          {dims(row.input_dims) || '–'}
          {(row.shape_count ?? 0) > 1 ? ` +${row.shape_count! - 1}` : ''}
        </span>
      ),
    },
    {
      id: 'source',
      label: t.source,
      minor: true,
      title: of('source'),
      value: (row) => (row.source ? `${row.source.file}${row.source.line ? `:${row.source.line}` : ''}` : null),
      show: (row) => (
        <span class="clip narrow" title={row.source ? `${row.source.file} (${row.source.evidence})` : ''}>
          {place(row.source) || '–'}
        </span>
      ),
    },
    text('op', t.op, true),
    text('module', t.module, true),
    text('library', t.library, true),
    text('dtype_in', t.dtype, true),
    ns('min_ns', t.shortest, true),
    ns('max_ns', t.longest, true),
    ns('p90_ns', 'p90', true),
    ns('stddev_ns', t.deviation, true),
  ];
}

interface Folded {
  label: string;
  total: number;
  instances: number;
  kernels: number;
  bound: number;
  bounded: number;
}

/** Sums of the rows that have something in common. */
function fold(rows: KernelRow[], labelOf: (row: KernelRow) => string): Folded[] {
  const groups = new Map<string, Folded>();
  for (const row of rows) {
    const label = labelOf(row);
    const group = groups.get(label) ?? {label, total: 0, instances: 0, kernels: 0, bound: 0, bounded: 0};
    groups.set(label, group);
    group.total += row.total_ns;
    group.instances += row.instances;
    group.kernels += 1;
    if (!row.bound || row.bound.at_least) continue;
    group.bound += row.bound.t_sol_ns;
    group.bounded += row.total_ns * row.bound.covered;
  }
  return [...groups.values()];
}

function FoldedTable({rows, by, total}: {rows: KernelRow[]; by: string; total: number}) {
  const t = texts().kernels;
  const label = (row: KernelRow): string =>
    (by === 'family'
      ? row.family
      : by === 'operator'
        ? row.operator
        : row.source
          ? `${row.source.file}${row.source.line ? `:${row.source.line}` : ''}`
          : null) ?? texts().unknown;
  const folded = useMemo(() => fold(rows, label), [rows, by]);
  const columns: Array<Column<Folded>> = [
    {
      id: 'time_pct',
      label: t.time,
      number: true,
      title: of('time_pct'),
      value: (r) => r.total / total,
      show: (r) => share(r.total / total),
    },
    {id: 'total', label: t.total, number: true, title: of('total_ns'), value: (r) => r.total, show: (r) => time(r.total)},
    {id: 'label', label: by, wide: true, value: (r) => r.label},
    {
      id: 'instances',
      label: t.count,
      number: true,
      minor: true,
      title: of('instances'),
      value: (r) => r.instances,
      show: (r) => count(r.instances),
    },
    {
      id: 'kernels',
      label: t.names,
      number: true,
      minor: true,
      title: meaning('Kernels', 'folded[].kernels'),
      value: (r) => r.kernels,
    },
    {
      id: 's',
      label: 'S',
      number: true,
      title: of('bound.s'),
      value: (r) => (r.bounded > 0 ? r.bound / r.bounded : null),
      show: (r) => (r.bounded > 0 ? share(r.bound / r.bounded) : '–'),
    },
  ];
  return (
    <Table
      name={`by-${by}`}
      label={by}
      rows={folded}
      columns={columns}
      keyOf={(r) => r.label}
      sort="-total"
      inAddress
      text={(r) => r.label}
    />
  );
}

function ModuleTable({rows}: {rows: ModuleRow[]}) {
  const t = texts().kernels;
  const m = (field: string): string => meaning('Kernels', `modules[].${field}`);
  const columns: Array<Column<ModuleRow>> = [
    {
      id: 'time_pct',
      label: t.time,
      number: true,
      title: m('time_pct'),
      value: (r) => r.time_pct,
      show: (r) => `${r.time_pct.toFixed(1)}%`,
    },
    {id: 'total', label: t.total, number: true, title: m('total_ns'), value: (r) => r.total_ns, show: (r) => time(r.total_ns)},
    {
      id: 'name',
      label: t.module,
      title: m('path'),
      value: (r) => r.path,
      show: (r) => (
        <span style={{paddingLeft: `${r.depth * 14}px`}} title={r.path}>
          {r.name}
        </span>
      ),
    },
    {
      id: 'self',
      label: t.self,
      number: true,
      minor: true,
      title: m('self_ns'),
      value: (r) => r.self_ns,
      show: (r) => time(r.self_ns),
    },
    {
      id: 'calls',
      label: t.calls,
      number: true,
      minor: true,
      title: m('calls'),
      value: (r) => r.calls,
      show: (r) => count(r.calls),
    },
    {
      id: 'kernels',
      label: t.count,
      number: true,
      minor: true,
      title: m('kernels'),
      value: (r) => r.kernels,
      show: (r) => count(r.kernels),
    },
  ];
  return (
    <Table
      name="modules"
      label={t.module}
      rows={rows}
      columns={columns}
      keyOf={(r) => `${r.path} ${r.depth} ${r.total_ns}`}
      inAddress
      text={(r) => r.path}
      limit={200}
    />
  );
}

export function Kernels() {
  const t = texts().kernels;
  const {documents, run, runs} = useShared();
  const route = useRoute();
  const {phase = '', by = 'kernel', family = ''} = route.values;
  const isTable =
    !runs.some((r) => r.index === run && r.kind === 'trace') && documents.head.mode === 'report' && documents.has('table');
  const ofRun = useRunDocument<KernelsDocument>('kernels', phase ? {phase} : undefined);
  const ofTable = useLoaded<KernelsDocument>(() => (isTable ? documents.json('table') : null), [isTable]);
  const loaded = isTable ? ofTable : ofRun;
  const cycles = useRunDocument<Cycles>('cycles');
  const modules = useRunDocument<KernelsDocument>('modules');
  const head = useRunDocument<TimelineHead>('timeline');
  const shorts = useMemo(
    () => new Map(head.value?.names.map((name, i) => [name, head.value!.short_names[i] ?? ''])),
    [head.value],
  );
  const columns = useMemo(() => kernelColumns(shorts), [shorts, t]);
  const k = loaded.value;
  const rows = useMemo(() => (k ? k.rows.filter((row) => family === '' || row.family === family) : []), [k, family]);
  if (!k) return <Waiting of={loaded} />;
  if (k.launches) return <Launches launches={k.launches as Whole<typeof k.launches>} />;
  const total = k.total_ns ?? 0;
  const phases = (cycles.value?.phases ?? []).map((p) => p.phase).filter((p) => documents.has(`run/${run}/kernels?phase=${p}`));
  const ways: Array<[string, string]> = [
    ['kernel', t.kernel],
    ['family', t.family],
    ['operator', t.operator],
    ['source', t.source],
  ];
  if (modules.value?.modules?.length) ways.push(['module', t.module]);
  const tools = (
    <>
      {phases.length > 1 ? (
        <Choice
          label={t.phase}
          value={phase}
          options={[['', t.allPhases], ...phases.map((p): [string, string] => [p, p])]}
          onChange={(value) => setValues({phase: value})}
        />
      ) : null}
      <select aria-label={t.family} value={family} onChange={(event) => setValues({family: event.currentTarget.value})}>
        <option value="">{t.allFamilies}</option>
        {k.families.map((f) => (
          <option value={f.family}>
            {f.family} ({share(f.total_ns / Math.max(1, total))})
          </option>
        ))}
      </select>
    </>
  );
  return (
    <Panel title={t.title} note={`${time(k.total_ns)} · ${t.known(share(k.coverage.source), share(k.coverage.bound))}`}>
      <div class="tools">
        <Choice label={t.by} value={by} options={ways} onChange={(value) => setValues({by: value, sort: '', row: ''})} />
      </div>
      {by === 'module' && modules.value?.modules ? (
        <ModuleTable rows={modules.value.modules as ModuleRow[]} />
      ) : by !== 'kernel' ? (
        <>
          <div class="tools">{tools}</div>
          <FoldedTable rows={rows} by={by} total={Math.max(1, total)} />
        </>
      ) : (
        <Table
          name="kernels"
          label={t.title}
          rows={rows}
          columns={columns}
          keyOf={(row) => row.name}
          inAddress
          sort="-total_ns"
          tools={tools}
          text={(row) =>
            [row.name, row.family, row.operator, row.op, row.module, row.source?.file, row.library, dims(row.input_dims)].join(
              ' ',
            )
          }
          open={(row) => <KernelDetail row={row} run={run} />}
        />
      )}
    </Panel>
  );
}
