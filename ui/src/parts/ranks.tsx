// The ranks of a job side by side: who is late, who waits, how much communication is exposed.

import {Chart, type Build, type Scene} from '../charts/chart';
import {gridX, linear} from '../charts/scales';
import type {Ranks as RanksDocument} from '../generated/documents';
import {count, scaled, share, shortTime, time} from '../format';
import {texts} from '../texts';
import {useRunDocument} from '../widgets/context';
import type {Whole} from '../data/whole';
import {Lines, meaning, Panel, Waiting} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

type Rank = RanksDocument['ranks'][number];
type Collective = RanksDocument['collectives'][number];

const partColours = {compute: '#3b7dbf', comm: '#c8443c', idle: '#a7adb5'};

/** One bar per rank: computing, exposed communication, idle; a mark where it waits for others. */
function bars(ranks: Rank[]): Build {
  return (width, height, c) => {
    const t = texts().ranks;
    const scene: Scene = {marks: [], lines: [], notes: []};
    const frame = {left: 86, right: width - 14, top: 6, bottom: height - 22};
    const longest = ranks.reduce((most, r) => Math.max(most, r.step_ns), 1);
    const x = linear(0, longest, frame.left, frame.right, width / 130);
    gridX(scene, frame, x, shortTime, c);
    const row = (frame.bottom - frame.top) / ranks.length;
    ranks.forEach((rank, i) => {
      const exposed = rank.exposed_comm_ns ?? 0;
      const idle = rank.idle_ns ?? 0;
      const pieces: Array<[string, number, string]> = [
        [t.compute, Math.max(0, rank.step_ns - idle - exposed), partColours.compute],
        [t.exposed, exposed, partColours.comm],
        [t.idle, idle, partColours.idle],
      ];
      let at = 0;
      for (const [label, ns, colour] of pieces) {
        if (ns <= 0) continue;
        scene.marks.push({
          x: x.at(at),
          y: frame.top + i * row + 2,
          w: Math.max(1, x.at(ns) - frame.left - 1),
          h: row - 5,
          colour,
          label: `${rank.label}, ${label}: ${time(ns)} (${share(ns / rank.step_ns)})`,
        });
        at += ns;
      }
      scene.notes!.push({
        x: frame.left - 8,
        y: frame.top + i * row + row / 2 + 4,
        text: rank.label,
        align: 'right',
        colour: c.text,
      });
    });
    return scene;
  };
}

function rankColumns(): Array<Column<Rank>> {
  const t = texts().ranks;
  const ns = (id: keyof Rank, label: string, minor = true): Column<Rank> => ({
    id,
    label,
    minor,
    number: true,
    title: meaning('Ranks', `ranks[].${id}`),
    value: (r) => r[id] as number | null,
    show: (r) => time(r[id] as number | null),
  });
  return [
    {id: 'label', label: t.rank, title: meaning('Ranks', 'ranks[].label'), value: (r) => r.label},
    ns('step_ns', t.step, false),
    ns('busy_ns', t.busy),
    ns('idle_ns', t.idle),
    ns('exposed_comm_ns', t.exposed),
    ns('comm_ns', t.comm),
    ns('copy_ns', t.copies),
    ns('wait_ns', t.waits, false),
    ns('late_ns', t.late, false),
    {
      id: 'was_last',
      label: t.wasLast,
      number: true,
      minor: true,
      title: meaning('Ranks', 'ranks[].was_last'),
      value: (r) => r.was_last,
    },
    {id: 'device', label: t.device, minor: true, title: meaning('Ranks', 'ranks[].device'), value: (r) => r.device},
    {id: 'host', label: t.host, minor: true, title: meaning('Ranks', 'ranks[].host'), value: (r) => r.host},
  ];
}

function collectiveColumns(): Array<Column<Collective>> {
  const t = texts().ranks;
  const title = (field: string): string => meaning('Ranks', `collectives[].${field}`);
  /** The mean of one call, as tactus ranks prints it. */
  const each = (id: string, label: string, field: 'wait_ns' | 'time_ns', minor: boolean): Column<Collective> => {
    const mean = (r: Collective): number => Math.floor(r[field] / Math.max(1, r.count));
    return {id, label, number: true, minor, title: t.ofAll(title(field)), value: mean, show: (r) => time(mean(r))};
  };
  return [
    {id: 'name', label: t.collective, title: title('name'), value: (r) => r.name},
    {id: 'bytes', label: t.size, number: true, title: title('bytes'), value: (r) => r.bytes, show: (r) => scaled(r.bytes, 'B')},
    {
      id: 'count',
      label: t.count,
      number: true,
      minor: true,
      title: title('count'),
      value: (r) => r.count,
      show: (r) => count(r.count),
    },
    each('wait', t.wait, 'wait_ns', false),
    each('time', t.transfer, 'time_ns', true),
    {
      id: 'wait_all',
      label: t.waitAll,
      number: true,
      minor: true,
      title: title('wait_ns'),
      value: (r) => r.wait_ns,
      show: (r) => time(r.wait_ns),
    },
    {
      id: 'bus',
      label: t.bus,
      number: true,
      minor: true,
      title: title('bus_bytes_per_s'),
      value: (r) => r.bus_bytes_per_s,
      show: (r) => scaled(r.bus_bytes_per_s, 'B/s'),
    },
    {
      id: 'link',
      label: t.link,
      number: true,
      minor: true,
      title: title('link_bytes_per_s'),
      value: (r) => r.link_bytes_per_s,
      show: (r) => scaled(r.link_bytes_per_s, 'B/s'),
    },
    {
      id: 'last',
      label: t.last,
      minor: true,
      title: title('last_rank'),
      value: (r) => r.last_rank,
      show: (r) => (r.last_rank === null ? texts().unknown : `rank ${r.last_rank} (${count(r.last_times)})`),
    },
  ];
}

export function Ranks() {
  const t = texts().ranks;
  const loaded = useRunDocument<RanksDocument>('ranks');
  if (!loaded.value) return <Waiting of={loaded} />;
  const {ranks, collectives, stragglers, imbalance, matched, unmatched} = loaded.value as Whole<RanksDocument>;
  return (
    <>
      <Panel title={t.stragglers}>
        {stragglers.length > 0 ? <Lines items={stragglers.map((s) => s.text)} /> : <p>{t.noStraggler}</p>}
      </Panel>
      <Panel title={t.parts} note={t.partsNote}>
        <ul class="legend">
          {(
            [
              [t.compute, partColours.compute],
              [t.exposed, partColours.comm],
              [t.idle, partColours.idle],
            ] as const
          ).map(([label, colour]) => (
            <li>
              <span class="swatch" style={{background: colour}} />
              {label}
            </li>
          ))}
        </ul>
        <Chart label={t.parts} height={30 + 26 * Math.min(ranks.length, 64)} keys={[ranks]} build={bars(ranks)} />
        <Table name="ranks" label={t.title} rows={ranks} columns={rankColumns()} keyOf={(r) => r.label} inAddress />
      </Panel>
      <Panel title={t.collectives} note={t.matched(matched, unmatched)}>
        <Table
          name="collectives"
          label={t.collectives}
          rows={collectives}
          columns={collectiveColumns()}
          keyOf={(r) => `${r.name} ${r.bytes} ${r.group_size} ${r.on_device}`}
          text={(r) => r.name}
          sort="-wait_all"
        />
      </Panel>
      {imbalance.length > 0 ? (
        <Panel title={t.imbalance}>
          <Lines
            items={imbalance.map((row) =>
              t.imbalanceLine(
                row.operator,
                row.longest_rank === null ? texts().unknown : String(row.longest_rank),
                time(row.extra_ns),
                time(row.median_ns),
              ),
            )}
          />
        </Panel>
      ) : null}
      {loaded.value.warnings.length > 0 ? (
        <Panel title={texts().overview.warnings}>
          <Lines items={loaded.value.warnings} />
        </Panel>
      ) : null}
    </>
  );
}
