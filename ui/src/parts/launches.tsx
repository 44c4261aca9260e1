// The launches of a recording whose kernels have no times.

import type {Kernels} from '../generated/documents';
import {count, place, shortName, time} from '../format';
import {texts} from '../texts';
import type {Whole} from '../data/whole';
import {meaning, Panel} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

type LaunchTable = Whole<NonNullable<Kernels['launches']>>;
type LaunchRow = LaunchTable['rows'][number];
type GpuTime = LaunchTable['gpu_times'][number];

const none = <span class="muted">–</span>;

function launchColumns(launches: LaunchTable): Array<Column<LaunchRow>> {
  const t = texts().kernels;
  const of = (field: string): string => meaning('Kernels', `launches.rows[].${field}`);
  return [
    {
      id: 'launches',
      label: t.launches,
      number: true,
      title: of('launches'),
      value: (r) => r.launches,
      show: (r) => count(r.launches),
    },
    {id: 'host', label: t.host, number: true, title: of('host_ns'), value: (r) => r.host_ns, show: (r) => time(r.host_ns)},
    {
      id: 'host_avg',
      label: t.hostMean,
      number: true,
      minor: true,
      title: of('host_avg_ns'),
      value: (r) => r.host_avg_ns,
      show: (r) => time(r.host_avg_ns),
    },
    {
      id: 'line',
      label: t.calledAt,
      minor: true,
      extra: launches.with_line === 0,
      title: of('call_line'),
      value: (r) => (r.call_line ? `${r.call_line.file}:${r.call_line.line}` : null),
      show: (r) => (r.call_line ? <span title={r.call_line.file}>{place(r.call_line)}</span> : none),
    },
    {
      id: 'op',
      label: t.op,
      minor: true,
      extra: launches.with_op === 0,
      title: of('op'),
      value: (r) => r.op,
      show: (r) => r.op ?? none,
    },
    {
      id: 'name',
      label: t.kernel,
      wide: true,
      title: of('name'),
      value: (r) => r.name,
      show: (r) => <span title={r.name}>{r.is_graph ? r.name : shortName(r.name)}</span>,
    },
  ];
}

function gpuColumns(): Array<Column<GpuTime>> {
  const t = texts().kernels;
  const of = (field: string): string => meaning('Kernels', `launches.gpu_times[].${field}`);
  const ns = (id: keyof GpuTime, label: string, minor = false): Column<GpuTime> => ({
    id,
    label,
    minor,
    number: true,
    title: of(id),
    value: (r) => r[id] as number,
    show: (r) => time(r[id] as number),
  });
  return [
    ns('total_ns', t.total),
    {
      id: 'instances',
      label: t.count,
      number: true,
      title: of('instances'),
      value: (r) => r.instances,
      show: (r) => count(r.instances),
    },
    ns('med_ns', t.median),
    ns('p99_ns', 'p99', true),
    ns('max_ns', t.longest, true),
    {id: 'name', label: t.gpuWhat, wide: true, title: of('name'), value: (r) => r.name},
  ];
}

export function Launches({launches}: {launches: LaunchTable}) {
  const t = texts().kernels;
  return (
    <>
      <Panel title={t.launches} note={t.launchesNote(count(launches.total))}>
        <Table
          name="launches"
          label={t.launches}
          rows={launches.rows}
          columns={launchColumns(launches)}
          keyOf={(r) => `${r.name} ${r.call_line?.file ?? ''} ${r.call_line?.line ?? ''} ${r.op ?? ''}`}
          inAddress
          sort="-launches"
          text={(r) => `${r.name} ${r.op ?? ''} ${r.call_line?.file ?? ''}`}
        />
      </Panel>
      {launches.gpu_times.length > 0 ? (
        <Panel title={t.gpuTimes} note={t.gpuTimesNote}>
          <Table
            name="gpu-times"
            label={t.gpuTimes}
            rows={launches.gpu_times}
            columns={gpuColumns()}
            keyOf={(r) => `${r.name} ${r.is_graph}`}
            sort="-total_ns"
          />
        </Panel>
      ) : null}
    </>
  );
}
