// An open row of the kernel table: full name, what it says, shapes, sources, how its times are spread.

import {Chart} from '../charts/chart';
import {histogram} from '../charts/histogram';
import type {Kernels} from '../generated/documents';
import {count, dims, share, shortTime, time} from '../format';
import {texts} from '../texts';
import {familyColour} from '../theme';
import {sharedRun} from '../timeline/model';
import {timesOf} from '../timeline/range';
import {useLoaded, useShared} from '../widgets/context';
import {Fact, meaning} from '../widgets/small';

type KernelRow = Kernels['rows'][number];

function Spread({row}: {row: KernelRow}) {
  const t = texts().kernels;
  const {documents, run, version} = useShared();
  const has = documents.has(`run/${run}/slices`);
  const model = useLoaded(() => (has ? sharedRun(documents, run, version) : null), [run, version]);
  if (!has) return null;
  if (!model.value) return <p class="waiting">{model.error ?? texts().loading}</p>;
  if (!model.value.whole) return null;
  const times = timesOf(model.value, row.name);
  if (times.length < 2) return null;
  const lines = row.med_ns === null ? [] : [{value: row.med_ns, text: `p50 ${shortTime(row.med_ns)}`}];
  if (row.p99_ns !== null && row.instances >= 100) lines.push({value: row.p99_ns, text: `p99 ${shortTime(row.p99_ns)}`});
  return (
    <>
      <h3>{t.spread}</h3>
      <Chart
        label={t.spread}
        height={120}
        keys={[row.name, times.length]}
        build={histogram(times, familyColour(row.family), lines)}
      />
    </>
  );
}

function facts(row: KernelRow): Array<[string, string]> {
  const entries: Array<[string, unknown]> = [
    ['library', row.library],
    ['dtype_in', row.dtype_in],
    ['dtype_out', row.dtype_out],
    ['tile', row.tile?.map((v) => v ?? '?').join('×')],
    ['stages', row.stages],
    ['cluster', row.cluster?.join('×')],
    ['split_k', row.split_k || null],
    ['kv_split', row.kv_split || null],
    ['head_dim', row.head_dim],
    ['causal', row.causal],
    ['vector_width', row.vector_width],
    ['warps', row.warps],
    ['era', row.era],
  ];
  return entries
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([key, value]) => [key, String(value)]);
}

export function KernelDetail({row, run}: {row: KernelRow; run: number}) {
  const t = texts().kernels;
  return (
    <div>
      <p class="full-name mono">{row.name}</p>
      <dl class="facts">
        <Fact label="p50" of="Kernels:rows[].med_ns">
          {time(row.med_ns)}
        </Fact>
        <Fact label="p90" of="Kernels:rows[].p90_ns">
          {time(row.p90_ns)}
        </Fact>
        {row.instances >= 100 ? (
          <Fact label="p99" of="Kernels:rows[].p99_ns">
            {time(row.p99_ns)}
          </Fact>
        ) : null}
        <Fact label={t.shortest} of="Kernels:rows[].min_ns">
          {time(row.min_ns)}
        </Fact>
        <Fact label={t.longest} of="Kernels:rows[].max_ns">
          {time(row.max_ns)}
        </Fact>
        {row.bound ? (
          <Fact label="S" of="Kernels:rows[].bound.s" note={`${row.bound.limited_by}${row.bound.at_least ? `, ${t.atLeast}` : ''}`}>
            {share(row.bound.s)}
          </Fact>
        ) : null}
        {row.bound ? (
          <Fact label={t.bound} of="Kernels:rows[].bound.t_sol_ns">
            {time(row.bound.t_sol_ns)}
          </Fact>
        ) : null}
      </dl>
      <div class="detail-grid">
        <div>
          {row.shapes?.length ? (
            <>
              <h3>{t.shapes}</h3>
              <div class="scroll">
                <table>
                  <thead>
                    <tr>
                      <th class="number">{t.total}</th>
                      <th class="number">{t.count}</th>
                      <th>{t.op}</th>
                      <th>{t.shapes}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {row.shapes.map((s) => (
                      <tr>
                        <td class="number" title={meaning('Kernels', 'rows[].shapes[].total_ns')}>
                          {time(s.total_ns)}
                        </td>
                        <td class="number">{count(s.instances)}</td>
                        <td>{s.op ?? texts().unknown}</td>
                        <td class="wide mono">{dims(s.input_dims) || '–'}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          ) : null}
          {row.sources?.length ? (
            <>
              <h3>{t.sources}</h3>
              <ul class="lines">
                {row.sources.map((s) => (
                  <li class="full-name">
                    {s.file}
                    {s.line ? `:${s.line}` : ''} {s.function ?? ''} – {time(s.total_ns)} ({s.evidence})
                  </li>
                ))}
              </ul>
            </>
          ) : row.source ? (
            <>
              <h3>{t.sources}</h3>
              <p class="full-name">
                {row.source.file}
                {row.source.line ? `:${row.source.line}` : ''} {row.source.function ?? ''} ({row.source.evidence})
              </p>
            </>
          ) : null}
        </div>
        <div>
          <Spread row={row} />
          <h3>{t.nameSays}</h3>
          <dl class="label-lines">
            {facts(row).map(([key, value]) => (
              <>
                <dt title={meaning('Kernels', `rows[].${key}`)}>{key}</dt>
                <dd>{value}</dd>
              </>
            ))}
          </dl>
          <p>
            <a href={`#timeline?run=${run}&q=${encodeURIComponent(row.name.slice(0, 120))}`}>{t.inTimeline}</a>
          </p>
        </div>
      </div>
    </div>
  );
}
