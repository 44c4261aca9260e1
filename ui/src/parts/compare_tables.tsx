// Tables of a comparison: what changed, per rank, and the rows of a classic report.

import type {Comparison, ComparisonRows, ComparisonWhere} from '../generated/documents';
import {amount, chance, ratio, share, shortName, signedTime} from '../format';
import {texts} from '../texts';
import {meaning, Panel} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

const of = (field: string): string => meaning('Comparison', field);

/** The ends of an interval. */
export const spread = (low: number | null, high: number | null): string =>
  low === null || high === null ? texts().compare.noInterval : `${ratio(low)} – ${ratio(high)}`;

/** The same per rank, where there is more than one. */
export function ByRank({c}: {c: Comparison}) {
  const t = texts().compare;
  const rows = c.change?.by_rank ?? [];
  type Row = (typeof rows)[number];
  if (new Set(rows.map((row) => row.label)).size < 2) return null;
  const columns: Array<Column<Row>> = [
    {id: 'label', label: t.rank, title: of('change.by_rank[].label'), value: (r) => r.label},
    {id: 'phase', label: t.phase, title: of('change.by_rank[].phase'), value: (r) => r.phase},
    {
      id: 'ratio',
      label: t.ratio,
      number: true,
      title: of('change.by_rank[].ratio'),
      value: (r) => r.ratio,
      show: (r) => ratio(r.ratio),
    },
    {
      id: 'interval',
      label: t.interval,
      number: true,
      title: of('change.by_rank[].low'),
      value: (r) => r.low,
      show: (r) => spread(r.low, r.high),
    },
  ];
  return (
    <Panel title={t.byRank}>
      <Table name="by-rank" label={t.byRank} rows={rows} columns={columns} keyOf={(r) => `${r.label} ${r.phase}`} />
    </Panel>
  );
}

export function whereColumns(): Array<Column<ComparisonWhere>> {
  const t = texts().compare;
  const field = (id: string): string => of(`where[].${id}`);
  return [
    {
      id: 'delta',
      label: t.delta,
      number: true,
      title: field('delta_ns_per_cycle'),
      value: (w) => w.delta_ns_per_cycle,
      show: (w) => signedTime(w.delta_ns_per_cycle),
    },
    {id: 'share', label: t.share, number: true, title: field('share'), value: (w) => w.share, show: (w) => share(w.share)},
    {
      id: 'what',
      label: t.what,
      title: field('what'),
      wide: true,
      value: (w) => w.what,
      show: (w) => (
        <span title={w.what}>
          {w.kind === 'function' ? shortName(w.what) : w.what}
          {w.state !== 'changed' ? <span class="pill warm">{w.state}</span> : null}
        </span>
      ),
    },
    {id: 'ratio', label: t.ratio, number: true, title: field('ratio'), value: (w) => w.ratio, show: (w) => ratio(w.ratio)},
    {
      id: 'count',
      label: t.counts,
      number: true,
      minor: true,
      title: field('count_ratio'),
      value: (w) => w.count_ratio,
      show: (w) => ratio(w.count_ratio),
    },
    {
      id: 'each',
      label: t.each,
      number: true,
      minor: true,
      title: field('each_ratio'),
      value: (w) => w.each_ratio,
      show: (w) => ratio(w.each_ratio),
    },
    {id: 'q', label: 'q', number: true, minor: true, title: field('q'), value: (w) => w.q, show: (w) => chance(w.q)},
    {id: 'kind', label: t.kind, minor: true, title: field('kind'), value: (w) => w.kind},
    {id: 'phase', label: t.phase, minor: true, title: field('phase'), value: (w) => w.phase},
  ];
}

/** Rows of a classic report. */
export function ClassicRows({rows}: {rows: ComparisonRows[]}) {
  const t = texts().compare;
  const field = (id: string): string => of(`rows[].${id}`);
  const columns: Array<Column<ComparisonRows>> = [
    {
      id: 'suspicion',
      label: t.suspicion,
      number: true,
      title: field('suspicion'),
      value: (r) => r.suspicion,
      show: (r) => amount(r.suspicion),
    },
    {id: 'function', label: t.function, wide: true, title: field('function'), value: (r) => r.function},
    {id: 'metric', label: t.counter, title: field('metric'), value: (r) => r.metric},
    {id: 'device', label: t.device, minor: true, title: field('device'), value: (r) => r.device},
    {
      id: 'beta_z',
      label: 'β z',
      number: true,
      minor: true,
      title: field('beta_z'),
      value: (r) => r.beta_z,
      show: (r) => amount(r.beta_z),
    },
    {
      id: 'mu0',
      label: 'μ',
      number: true,
      minor: true,
      title: field('mu'),
      value: (r) => r.mu[0] ?? null,
      show: (r) => `${amount(r.mu[0])} → ${amount(r.mu[1])}`,
    },
    {
      id: 'mu_z',
      label: 'μ z',
      number: true,
      minor: true,
      title: field('mu_z'),
      value: (r) => r.mu_z,
      show: (r) => amount(r.mu_z),
    },
    {id: 'mu_p', label: 'p', number: true, minor: true, title: field('mu_p'), value: (r) => r.mu_p, show: (r) => chance(r.mu_p)},
  ];
  return (
    <Table
      name="classic"
      label={t.classic}
      rows={rows}
      columns={columns}
      keyOf={(r) => `${r.function} ${r.metric} ${r.device}`}
      text={(r) => `${r.function} ${r.metric} ${r.device}`}
      sort="-suspicion"
    />
  );
}
