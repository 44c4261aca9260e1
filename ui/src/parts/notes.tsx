// What else was given: notes around a kernel table, launch groups, a classic report, a catalogue.

import type {Comparison, Kernels, OperatorsItem} from '../generated/documents';
import {count, share, shortName, time} from '../format';
import {texts} from '../texts';
import {useLoaded, useShared} from '../widgets/context';
import {Lines, meaning, Panel} from '../widgets/small';
import {type Column, Table} from '../widgets/table';
import {Compared} from './compare';

type Group = Kernels['groups'][number];

function Groups({groups}: {groups: Group[]}) {
  const t = texts().notes;
  if (groups.length === 0) return null;
  return (
    <Panel title={t.groups} note={t.groupsNote}>
      {groups.map((group) => (
        <div class="group">
          <h3>
            {group.name}{' '}
            <span class={`pill ${group.intercept_as_one ? '' : 'warm'}`}>{group.intercept_as_one ? t.asOne : t.notAsOne}</span>
          </h3>
          <p class="steps-chain">
            {group.members.slice(0, 16).map((member, i) => (
              <>
                <span title={member}>
                  {shortName(member)}
                  {group.optional[i] ? '?' : ''}
                </span>
                {i + 1 < Math.min(16, group.members.length) ? ' → ' : ''}
              </>
            ))}
            {group.members.length > 16 ? ` … +${group.members.length - 16}` : ''}
          </p>
          <p>
            {t.groupLine(count(group.instances), time(group.total_ns), group.evidence)} {group.why}
          </p>
        </div>
      ))}
    </Panel>
  );
}

function OfTable({k}: {k: Kernels}) {
  const t = texts().notes;
  const s = k.structure;
  return (
    <>
      <div class="columns">
        <Panel title={t.structure}>
          <dl class="label-lines">
            {s.passes !== null ? (
              <>
                <dt title={meaning('Kernels', 'structure.passes')}>{t.passes}</dt>
                <dd>
                  {count(s.passes)}
                  {s.of_rank !== null ? `, ${t.ofRank(s.of_rank)}` : ''}
                </dd>
              </>
            ) : null}
            {s.layers !== null ? (
              <>
                <dt title={meaning('Kernels', 'structure.layers')}>{t.layers}</dt>
                <dd>{count(s.layers)}</dd>
              </>
            ) : null}
            {s.gemms_per_layer !== null ? (
              <>
                <dt>{t.gemms}</dt>
                <dd>{count(s.gemms_per_layer)}</dd>
              </>
            ) : null}
            {Object.entries(s.phases).map(([phase, v]) => (
              <>
                <dt>{phase}</dt>
                <dd>
                  {count(v.passes)} {t.passes}, {time(v.total_ns)}
                </dd>
              </>
            ))}
            {s.ranks.map((rank) => (
              <>
                <dt>{rank.label}</dt>
                <dd>
                  {count(rank.passes)} {t.passes}, {time(rank.total_ns)}
                </dd>
              </>
            ))}
            {s.capture_sizes.length > 0 ? (
              <>
                <dt>{t.captured}</dt>
                <dd>{s.capture_sizes.join(', ')}</dd>
              </>
            ) : null}
          </dl>
          {s.decode_missing_why ? <p class="error">{s.decode_missing_why}</p> : null}
          <Lines items={s.signs} />
          {s.identities.length > 0 ? (
            <>
              <h3>{t.identities}</h3>
              <Lines items={s.identities.map((x) => `${x.text}: ${count(x.expected)} / ${count(x.actual)}`)} />
            </>
          ) : null}
        </Panel>
        {k.answers.length > 0 ? (
          <Panel title={t.answers}>
            <dl class="label-lines">
              {k.answers.map((a) => (
                <>
                  <dt>
                    {t.line} {a.line}
                  </dt>
                  <dd>
                    <span class="mono">{shortName(a.name)}</span>: {a.answer}
                  </dd>
                </>
              ))}
            </dl>
          </Panel>
        ) : null}
        {k.hints.length > 0 ? (
          <Panel title={t.hints}>
            <Lines items={k.hints.map((h) => `${h.text} (${share(h.share)})`)} />
          </Panel>
        ) : null}
        {k.inconsistencies.length > 0 ? (
          <Panel title={t.inconsistent}>
            <Lines items={k.inconsistencies} />
          </Panel>
        ) : null}
      </div>
      <Groups groups={k.groups} />
      {k.stacks.length > 0 ? (
        <Panel title={t.stacks}>
          {k.stacks.map((stack) => (
            <details>
              <summary>
                {t.line} {stack.line}: {stack.explains.map((name) => shortName(name)).join(', ') || t.noKernel}
              </summary>
              <ol class="mono">
                {stack.frames.map((f) => (
                  <li>
                    {f.file}:{f.line} {f.function}
                    {f.code ? <pre>{f.code}</pre> : null}
                  </li>
                ))}
              </ol>
            </details>
          ))}
        </Panel>
      ) : null}
      {k.notes.length > 0 ? (
        <Panel title={t.notes}>
          {k.notes.map((note) => (
            <div class="note">
              <h3>
                {t.line} {note.line} · {note.kind}
              </h3>
              <pre>{note.text}</pre>
            </div>
          ))}
        </Panel>
      ) : null}
    </>
  );
}

function Catalogue({rows}: {rows: OperatorsItem[]}) {
  const t = texts().notes;
  const of = (field: string): string => meaning('Operators', `[].${field}`);
  const columns: Array<Column<OperatorsItem>> = [
    {id: 'name', label: t.operator, title: of('name'), value: (o) => o.name},
    {
      id: 'importance',
      label: t.importance,
      number: true,
      title: of('importance'),
      value: (o) => o.importance,
      show: (o) => String(o.importance),
    },
    {id: 'shapes', label: t.shapes, number: true, title: of('shapes'), value: (o) => o.shapes},
    {id: 'dtype', label: t.dtype, minor: true, title: of('dtype'), value: (o) => o.dtype},
    {id: 'phase', label: t.phase, minor: true, title: of('phase'), value: (o) => o.phase},
    {
      id: 'profiles',
      label: t.profiles,
      number: true,
      minor: true,
      title: of('profiles'),
      value: (o) => o.profiles,
      show: (o) => count(o.profiles),
    },
    {id: 'origin', label: t.origin, minor: true, title: of('origin'), value: (o) => o.origin},
  ];
  return (
    <Panel title={t.catalogue}>
      <Table
        name="operators"
        label={t.catalogue}
        rows={rows}
        columns={columns}
        keyOf={(o) => o.id}
        text={(o) => `${o.name} ${o.dtype} ${o.phase}`}
        sort="-importance"
        inAddress
      />
    </Panel>
  );
}

export function Notes() {
  const {documents, run} = useShared();
  const serving = documents.head.mode === 'serve';
  const load = <T,>(name: string) =>
    useLoaded<T>(
      () =>
        documents.has(name)
          ? documents.json<T>(name).catch((error) => {
              if (serving) return null as T;
              throw error;
            })
          : null,
      [name],
    );
  const table = load<Kernels>(serving ? `run/${run}/kernels` : documents.has('table') ? 'table' : `run/${run}/kernels`);
  const opinion = load<Comparison>('opinion');
  const operators = load<OperatorsItem[]>('operators');
  return (
    <>
      {opinion.value ? <Compared c={opinion.value} names={opinion.value.labels} runs={[]} /> : null}
      {table.value ? <OfTable k={table.value} /> : null}
      {operators.value ? <Catalogue rows={operators.value} /> : null}
      {[table, opinion, operators].map((loaded) =>
        loaded.error ? (
          <p class="error" role="alert">
            {loaded.error}
          </p>
        ) : null,
      )}
    </>
  );
}
