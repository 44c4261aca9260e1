// A box for SQL (server only: read-only, with limits).

import {useState} from 'preact/hooks';
import type {SqlAnswer} from '../generated/documents';
import {count} from '../format';
import {setValues, useRoute} from '../route';
import {texts} from '../texts';
import {useShared} from '../widgets/context';
import {Clock, Lines, Panel} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

const examples = [
  'select short_name, count(*) as n, sum(dur_ns) / 1e6 as ms from kernels group by 1 order by ms desc limit 20',
  'select id, phase, dur_ns / 1e6 as ms, gpu_busy_ns / 1e6 as busy_ms from steps order by dur_ns desc limit 20',
  'select op, count(*) as n, median(delay_ns) / 1e3 as median_us from launches group by op order by n desc limit 20',
];

export function Sql() {
  const t = texts().sql;
  const {documents, run} = useShared();
  const route = useRoute();
  const [query, setQuery] = useState(route.values.query ?? examples[0]);
  const [state, setState] = useState<{answer?: SqlAnswer; error?: string; ms?: number; busy?: boolean}>({});
  const ask = async (): Promise<void> => {
    const begin = performance.now();
    setValues({query});
    setState({busy: true});
    try {
      const answer = (await (await documents.post(`sql?run=${run}`, query)).json()) as SqlAnswer;
      setState({answer, ms: performance.now() - begin});
    } catch (error) {
      setState({error: (error as Error).message});
    }
  };
  const {answer} = state;
  const columns: Array<Column<unknown[]>> = (answer?.columns ?? []).map((label, i) => ({
    id: String(i),
    label,
    value: (row) => row[i] as string | number | null,
    number: answer!.rows.some((row) => typeof row[i] === 'number'),
    show: (row) =>
      row[i] === null ? (
        <span class="muted">null</span>
      ) : (
        <span class="clip" title={String(row[i])}>
          {String(row[i])}
        </span>
      ),
  }));
  return (
    <>
      <Panel title={t.title} note={t.note}>
        <textarea
          class="query mono"
          data-search
          aria-label={t.title}
          value={query}
          spellcheck={false}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void ask();
          }}
        />
        <div class="tools">
          <button type="button" onClick={() => void ask()} disabled={state.busy}>
            {t.run}
          </button>{' '}
          <span class="muted">Ctrl+Enter</span>
          <select
            aria-label={t.examples}
            onChange={(event) => {
              if (event.currentTarget.value) setQuery(event.currentTarget.value);
            }}
          >
            <option value="">{t.examples}</option>
            {examples.map((example) => (
              <option value={example}>{example}</option>
            ))}
          </select>
        </div>
        {state.busy ? (
          <p class="waiting">
            <Clock text={texts().loading} />
          </p>
        ) : null}
        {state.error ? (
          <p class="error" role="alert">
            {state.error}
          </p>
        ) : null}
      </Panel>
      {answer ? (
        <Panel title={t.answer} note={`${count(answer.rows.length)} ${t.rows}, ${state.ms!.toFixed(0)} ms`}>
          <Lines items={answer.warnings} />
          <Table
            name="answer"
            label={t.answer}
            rows={answer.rows as unknown[][]}
            columns={columns}
            keyOf={(row) => String(answer.rows.indexOf(row))}
            text={(row) => row.join(' ')}
          />
        </Panel>
      ) : null}
    </>
  );
}
