// Below the timeline: what is known about the selected slice, and what a range of time is made of.

import {useMemo} from 'preact/hooks';
import type {Kernels, Slice as SliceDetail} from '../generated/documents';
import {count, dims, place, share, tailNote, time} from '../format';
import {texts} from '../texts';
import {familyColour} from '../theme';
import {useLoaded, useShared} from '../widgets/context';
import {Fact, meaning, Panel} from '../widgets/small';
import {type Column, Table} from '../widgets/table';
import type {RunModel} from './model';
import type {Range} from './overlay';
import type {Scene} from './paint';
import {around, describe, type Pick} from './pick';
import {type RangeRow, rangeTable} from './range';

export type KernelRow = Kernels['rows'][number];

function Stack(props: {title: string; names: string[]}) {
  if (props.names.length === 0) return null;
  return (
    <>
      <h3>{props.title}</h3>
      <ol class="stack">
        {props.names.slice(0, 40).map((name) => (
          <li class="mono">{name}</li>
        ))}
      </ol>
    </>
  );
}

export function SelectedSlice(props: {
  scene: Scene;
  pick: Pick;
  linked: Array<{pick: Pick; forward: boolean}>;
  kernel: KernelRow | undefined;
  onGo: (pick: Pick) => void;
}) {
  const t = texts().timeline;
  const {documents} = useShared();
  const {scene, pick, kernel} = props;
  const model = scene.models[pick.model];
  const d = describe(scene, pick);
  const served = documents.head.mode === 'serve' && d.row >= 0;
  const detail = useLoaded<SliceDetail>(
    () => (served ? documents.json(`run/${model.index}/slice`, {row: String(d.row)}) : null),
    [d.row, model.index],
  );
  const launch = props.linked.find((link) => !link.forward)?.pick;
  const stack = launch
    ? [
        model.head.names[launch.lane.name[launch.index]],
        ...around(model, launch.row.track, launch.depth, launch.lane.start[launch.index]),
      ]
    : around(model, pick.row.track, pick.depth, d.start);
  const known = detail.value;
  const shape = known?.shapes
    ? typeof known.shapes === 'string'
      ? known.shapes
      : dims(known.shapes)
    : kernel?.input_dims
      ? dims(kernel.input_dims)
      : '';
  return (
    <Panel title={t.selected} note={pick.row.label}>
      <p class="full-name mono">{d.full}</p>
      <dl class="facts">
        <Fact label={t.duration} title={t.durationMeaning}>
          {time(d.dur)}
        </Fact>
        <Fact label={t.start} title={t.startMeaning}>
          {time(d.start)}
        </Fact>
        {d.family ? (
          <Fact label={t.family} of="Kernels:rows[].family">
            <span class="swatch" style={{background: familyColour(d.family)}} />
            {d.family}
          </Fact>
        ) : null}
        {kernel?.bound ? (
          <Fact label={t.sOfKernel} of="Kernels:rows[].bound.s" note={kernel.bound.limited_by}>
            {share(kernel.bound.s)}
          </Fact>
        ) : null}
        {kernel ? (
          <Fact label={t.median} of="Kernels:rows[].med_ns" note={tailNote(kernel.instances, kernel.p99_ns, kernel.max_ns)}>
            {time(kernel.med_ns)}
          </Fact>
        ) : null}
      </dl>
      <dl class="label-lines">
        {(known?.op ?? kernel?.op) ? (
          <>
            <dt>{t.op}</dt>
            <dd class="mono">{known?.op ?? kernel?.op}</dd>
          </>
        ) : null}
        {shape ? (
          <>
            <dt>{known?.shapes ? t.shape : t.shapeMost}</dt>
            <dd class="mono">{shape}</dd>
          </>
        ) : null}
        {known?.python ? (
          <>
            <dt>{t.python}</dt>
            <dd class="mono">{known.python}</dd>
          </>
        ) : kernel?.source ? (
          <>
            <dt>{t.source}</dt>
            <dd class="mono" title={kernel.source.file}>
              {place(kernel.source)} ({kernel.source.evidence})
            </dd>
          </>
        ) : null}
        {(known?.module ?? kernel?.module) ? (
          <>
            <dt>{t.module}</dt>
            <dd class="mono">{known?.module ?? kernel?.module}</dd>
          </>
        ) : null}
        {props.linked.slice(0, 12).map((link) => (
          <>
            <dt>{link.forward ? t.launches : t.launchedBy}</dt>
            <dd>
              <button type="button" class="link" onClick={() => props.onGo(link.pick)}>
                {describe(scene, link.pick).short}
              </button>{' '}
              <span class="muted">{delay(scene, pick, link.pick)}</span>
            </dd>
          </>
        ))}
        {props.linked.length > 12 ? (
          <>
            <dt />
            <dd>{t.more(props.linked.length - 12)}</dd>
          </>
        ) : null}
        {known
          ? Object.entries(known.args)
              .slice(0, 24)
              .map(([key, value]) => (
                <>
                  <dt>{key}</dt>
                  <dd class="mono">{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
                </>
              ))
          : null}
      </dl>
      <Stack title={launch ? t.stackOfLaunch : t.around} names={stack} />
    </Panel>
  );
}

function delay(scene: Scene, a: Pick, b: Pick): string {
  const distance = Math.abs(describe(scene, a).start - describe(scene, b).start);
  return `${texts().timeline.later} ${time(distance)}`;
}

function rangeColumns(model: RunModel, total: number): Array<Column<RangeRow>> {
  const t = texts().kernels;
  return [
    {
      id: 'time',
      label: t.time,
      title: meaning('Kernels', 'rows[].time_pct'),
      number: true,
      value: (r) => r.total / total,
      show: (r) => share(r.total / total),
    },
    {
      id: 'total',
      label: t.total,
      title: meaning('Kernels', 'rows[].total_ns'),
      number: true,
      value: (r) => r.total,
      show: (r) => time(r.total),
    },
    {
      id: 'count',
      label: t.count,
      title: meaning('Kernels', 'rows[].instances'),
      number: true,
      value: (r) => r.count,
      show: (r) => count(r.count),
    },
    {
      id: 'longest',
      label: t.longest,
      title: meaning('Kernels', 'rows[].max_ns'),
      number: true,
      minor: true,
      value: (r) => r.longest,
      show: (r) => time(r.longest),
    },
    {
      id: 'family',
      label: t.family,
      value: (r) => r.family,
      minor: true,
      show: (r) =>
        r.family ? (
          <>
            <span class="swatch" style={{background: familyColour(r.family)}} />
            {r.family}
          </>
        ) : (
          ''
        ),
    },
    {
      id: 'name',
      label: t.kernel,
      wide: true,
      value: (r) => model.head.names[r.name],
      show: (r) => <span title={model.head.names[r.name]}>{model.short(r.name)}</span>,
    },
  ];
}

export function RangePanel(props: {model: RunModel; range: Range; shift: number; name: string}) {
  const t = texts().timeline;
  const {model, range, shift} = props;
  const table = useMemo(() => rangeTable(model, range.from - shift, range.to - shift), [model, range.from, range.to, shift]);
  return (
    <Panel
      title={t.range}
      note={`${time(range.to - range.from)} ${t.at} ${time(range.from - shift)}; ${t.rangeBusy(time(table.total))} ${props.name}`}
    >
      <Table
        name="range"
        label={t.range}
        rows={table.rows}
        columns={rangeColumns(model, Math.max(1, table.total))}
        keyOf={(r) => String(r.name)}
        text={(r) => `${model.head.names[r.name]} ${r.family ?? ''}`}
        limit={20}
      />
    </Panel>
  );
}
