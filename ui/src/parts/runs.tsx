// The runs that the server has; a trace can be dropped here to read it.

import {useState} from 'preact/hooks';
import type {RunsItem} from '../generated/documents';
import {count, time} from '../format';
import {go} from '../route';
import {texts} from '../texts';
import {useShared} from '../widgets/context';
import {Clock, meaning, Panel} from '../widgets/small';
import {type Column, Table} from '../widgets/table';

function Drop() {
  const t = texts().runs;
  const {documents, say, onNew} = useShared();
  const [over, setOver] = useState(false);
  const [state, setState] = useState<{text: string; failed?: boolean} | null>(null);
  const send = async (file: File): Promise<void> => {
    setState({text: t.sending(file.name, count(file.size))});
    try {
      const response = await documents.post('import', file, {'X-File-Name': encodeURIComponent(file.name)});
      const runs = (await response.json()) as RunsItem[];
      documents.forget('runs');
      say(t.imported(file.name));
      onNew();
      go('overview', {run: String(runs[runs.length - 1].index)});
    } catch (error) {
      setState({text: (error as Error).message, failed: true});
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file) void send(file);
  };
  return (
    <div
      class={`drop ${over ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>{t.drop}</p>
      <label>
        {t.choose}{' '}
        <input
          type="file"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) void send(file);
          }}
        />
      </label>
      {state ? (
        <p class={state.failed ? 'error' : 'waiting'} role="status">
          {state.failed ? state.text : <Clock text={state.text} />}
        </p>
      ) : null}
    </div>
  );
}

export function Runs() {
  const t = texts().runs;
  const {runs} = useShared();
  const columns: Array<Column<RunsItem>> = [
    {
      id: 'name',
      label: t.name,
      wide: true,
      title: meaning('Runs', '[].name'),
      value: (r) => r.name,
      show: (r) => <a href={`#${r.kind === 'trace' ? 'overview' : 'kernels'}?run=${r.index}`}>{r.name}</a>,
    },
    {
      id: 'kind',
      label: t.kind,
      title: meaning('Runs', '[].kind'),
      value: (r) => r.kind,
      show: (r) => (
        <>
          {r.kind}
          {r.live ? <span class="live"> {texts().live}</span> : null}
        </>
      ),
    },
    {
      id: 'rows',
      label: t.rows,
      number: true,
      title: meaning('Runs', '[].rows'),
      value: (r) => r.rows,
      show: (r) => count(r.rows),
    },
    {
      id: 'span',
      label: t.span,
      number: true,
      title: meaning('Runs', '[].span_ns'),
      value: (r) => r.span_ns,
      show: (r) => time(r.span_ns),
    },
  ];
  return (
    <>
      <Panel title={t.title}>
        <Table
          name="runs"
          label={t.title}
          rows={runs}
          columns={columns}
          keyOf={(r) => String(r.index)}
          text={(r) => r.name}
          inAddress
        />
      </Panel>
      <Panel title={t.add}>
        <Drop />
      </Panel>
    </>
  );
}
