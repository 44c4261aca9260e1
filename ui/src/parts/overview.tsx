// What a run comes to, on one screen.

import {Chart} from '../charts/chart';
import {stepTimes} from '../charts/steps';
import type {Cycles, Info, Kernels, Overview as OverviewText} from '../generated/documents';
import {count, share, shortName, tailNote, time} from '../format';
import {texts} from '../texts';
import {familyColour, phaseColour} from '../theme';
import {useRunDocument, useShared} from '../widgets/context';
import type {Whole} from '../data/whole';
import {Bar, Fact, Lines, meaning, Panel, Waiting} from '../widgets/small';

type Launches = Whole<NonNullable<Kernels['launches']>>;

/** Of a light recording: what is known of the GPU, and that the rest is not. */
function LightFacts({launches}: {launches: Launches}) {
  const t = texts().overview;
  const host = launches.rows.reduce((sum, row) => sum + row.host_ns, 0);
  return (
    <>
      {launches.gpu_times.slice(0, 2).map((row) => (
        <Fact label={t.onGpu(row.name)} title={t.onGpuMeaning} note={tailNote(row.instances, row.p99_ns, row.max_ns)}>
          {time(row.med_ns)}
        </Fact>
      ))}
      <Fact label={t.launchesFact} of="Kernels:launches.total" note={t.inHost(time(host))}>
        {count(launches.total)}
      </Fact>
    </>
  );
}

function Facts(props: {info: Info | null; kernels: Kernels; cycles: Cycles | null}) {
  const t = texts().overview;
  const {info, kernels, cycles} = props;
  const idle = kernels.idle as Whole<typeof kernels.idle>;
  const launches = kernels.launches as Launches | undefined;
  return (
    <dl class="facts">
      {info?.span_ns ? (
        <Fact label={t.span} of="Info:span_ns">
          {time(info.span_ns)}
        </Fact>
      ) : null}
      {cycles?.phases.map((phase) => (
        <Fact
          label={t.stepMedian(texts().stepOf(phase.phase))}
          of="Cycles:phases[].med_ns"
          note={tailNote(phase.cycles, phase.p99_ns, phase.max_ns)}
        >
          {time(phase.med_ns)}
        </Fact>
      ))}
      {idle ? (
        <Fact label={t.busy} title={t.busyMeaning} note={`${t.of} ${time(idle.span_ns)}`}>
          {share(1 - idle.share)}
        </Fact>
      ) : launches ? (
        <Fact label={t.busy} title={t.busyMeaning} note={t.notRecorded}>
          {share(null)}
        </Fact>
      ) : null}
      {launches ? <LightFacts launches={launches} /> : null}
      {kernels.bounds.s !== null ? (
        <Fact label={t.bound} of="Kernels:bounds.s" note={kernels.bounds.hardware ?? ''}>
          {share(kernels.bounds.s)}
        </Fact>
      ) : null}
      <Fact
        label={t.kernelTime}
        of="Kernels:total_ns"
        note={launches ? t.notRecorded : t.launches(kernels.rows.reduce((sum, row) => sum + row.instances, 0))}
      >
        {time(kernels.total_ns)}
      </Fact>
    </dl>
  );
}

function Idle({kernels, run}: {kernels: Kernels; run: number}) {
  const t = texts().overview;
  const idle = kernels.idle as Whole<typeof kernels.idle>;
  if (!idle) return <p class="muted">{kernels.launches ? t.noIdleLight : t.noIdle}</p>;
  const most = idle.causes.reduce((a, cause) => Math.max(a, cause.share), 1e-9);
  const places = idle.causes.flatMap((cause) => cause.places.map((place) => ({...place, cause: cause.cause})));
  const top = places.sort((a, b) => b.total_ns - a.total_ns).slice(0, 5);
  return (
    <>
      <ul class="bars">
        {idle.causes.map((cause) => (
          <Bar
            label={cause.cause}
            part={cause.share / most}
            value={`${share(cause.share)}  ${time(cause.total_ns)}`}
            colour={cause.of_host ? 'var(--warm)' : undefined}
            title={`${meaning('Kernels', 'idle.causes[].cause')}; ${t.gaps(cause.gaps)}`}
          />
        ))}
      </ul>
      <h3>{t.hostWas}</h3>
      <Lines items={top.map((p) => `${p.op ?? p.python ?? p.call ?? t.outside} – ${time(p.total_ns)} (${p.cause})`)} />
      <p class="muted">
        {t.idleSum(share(idle.share), count(idle.gaps), time(idle.longest_ns))}{' '}
        <a href={`#timeline?run=${run}`}>{texts().parts.timeline}</a>
      </p>
    </>
  );
}

function Families({kernels, run}: {kernels: Kernels; run: number}) {
  const t = texts().overview;
  const top = kernels.families[0]?.total_ns ?? 1;
  return (
    <Panel title={t.families} note={t.familiesNote}>
      <ul class="bars">
        {kernels.families.map((f) => (
          <Bar
            label={f.family}
            part={f.total_ns / top}
            colour={familyColour(f.family)}
            href={`#kernels?run=${run}&family=${encodeURIComponent(f.family)}`}
            value={`${share(f.total_ns / Math.max(1, kernels.total_ns ?? 0))}  ${time(f.total_ns)}`}
            title={`${count(f.instances)} × ${f.family}`}
          />
        ))}
      </ul>
      {kernels.families.length === 0 ? <p class="muted">{t.noKernels}</p> : null}
    </Panel>
  );
}

const mostLaunched = 12;

function Launched({launches, run}: {launches: Launches; run: number}) {
  const t = texts().overview;
  const most = launches.rows[0]?.launches ?? 1;
  return (
    <Panel title={t.launched} note={t.launchedNote}>
      <ul class="bars">
        {launches.rows.slice(0, mostLaunched).map((row) => (
          <Bar
            label={row.is_graph ? row.name : shortName(row.name)}
            part={row.launches / most}
            href={`#kernels?run=${run}`}
            value={`${count(row.launches)}  ${time(row.host_ns)}`}
            title={row.name}
          />
        ))}
      </ul>
      {launches.rows.length > mostLaunched ? (
        <a href={`#kernels?run=${run}`}>{texts().table.more(launches.rows.length - mostLaunched)}</a>
      ) : null}
    </Panel>
  );
}

function Coverage({kernels}: {kernels: Kernels}) {
  const t = texts().overview;
  const entries: Array<[string, keyof Kernels['coverage']]> = [
    [t.coverSource, 'source'],
    [t.coverOperator, 'operator'],
    [t.coverShape, 'shape'],
    [t.coverBound, 'bound'],
    [t.coverReplayed, 'replayed'],
    [t.coverNothing, 'unattributed'],
  ];
  return (
    <ul class="bars">
      {entries.map(([label, key]) => (
        <Bar
          label={label}
          part={(kernels.coverage[key] as number | null) ?? 0}
          value={share(kernels.coverage[key] as number | null)}
          title={meaning('Kernels', `coverage.${key}`)}
          colour={key === 'unattributed' ? 'var(--warm)' : undefined}
        />
      ))}
    </ul>
  );
}

/** Everything that was dropped, repaired or is doubtful about the recording. */
export function warningsOf(
  ...documents: Array<{warnings: string[]; dropped?: Record<string, unknown>; repaired?: Record<string, unknown>} | null>
): string[] {
  const t = texts().overview;
  const out = new Set<string>();
  for (const document of documents) {
    for (const [why, n] of Object.entries(document?.dropped ?? {})) out.add(t.dropped(String(n), why));
    for (const [why, n] of Object.entries(document?.repaired ?? {})) out.add(t.repaired(String(n), why));
    for (const warning of document?.warnings ?? []) out.add(warning);
  }
  return [...out];
}

export function Overview() {
  const t = texts().overview;
  const {run} = useShared();
  const text = useRunDocument<OverviewText>('overview');
  const kernels = useRunDocument<Kernels>('kernels');
  const cycles = useRunDocument<Cycles>('cycles');
  const info = useRunDocument<Info>('info');
  if (!kernels.value)
    return (
      <>
        <h1>{text.value?.sentence ?? ''}</h1>
        <Waiting of={kernels} />
      </>
    );
  const k = kernels.value;
  const steps = cycles.value?.cycles ?? [];
  const warnings = warningsOf(k, cycles.value, info.value, text.value);
  return (
    <>
      <h1>{text.value?.sentence || ' '}</h1>
      <Facts info={info.value} kernels={k} cycles={cycles.value} />
      {steps.length > 0 ? (
        <Panel title={t.steps} note={cycles.value?.anchor ?? ''}>
          <ul class="legend">
            {cycles.value!.phases.map((p) => (
              <li>
                <span class="swatch" style={{background: phaseColour(p.phase)}} />
                {texts().stepOf(p.phase)}
              </li>
            ))}
          </ul>
          <Chart label={t.steps} height={190} keys={[steps]} build={stepTimes(steps, run)} />
        </Panel>
      ) : null}
      <div class="columns">
        {k.launches ? <Launched launches={k.launches as Launches} run={run} /> : <Families kernels={k} run={run} />}
        {k.idle || steps.length > 0 ? (
          <Panel title={t.idle} note={t.idleNote}>
            <Idle kernels={k} run={run} />
          </Panel>
        ) : null}
        <Panel title={k.launches ? t.known : t.coverage} note={k.launches ? '' : t.coverageNote}>
          {k.launches ? null : <Coverage kernels={k} />}
          {text.value?.remarks.length ? (
            <>
              <h3>{t.recorded}</h3>
              <Lines items={text.value.remarks} />
            </>
          ) : null}
          <h3>{t.warnings}</h3>
          {warnings.length > 0 ? <Lines items={warnings} /> : <p class="muted">{t.noWarnings}</p>}
        </Panel>
        <Panel title={t.says}>
          <dl class="label-lines">
            {(text.value?.lines ?? []).map((line) => (
              <>
                <dt>{line.label}</dt>
                <dd>{line.text}</dd>
              </>
            ))}
          </dl>
          {text.value?.next.length ? (
            <>
              <h3>{t.next}</h3>
              {text.value.next.map((command) => (
                <pre>{command}</pre>
              ))}
            </>
          ) : null}
        </Panel>
      </div>
    </>
  );
}
