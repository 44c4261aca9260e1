// The table that all parts use: search, sort, columns, CSV, rows that open. Its state can live in the address.

import type {ComponentChildren} from 'preact';
import {Fragment} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {setValues, useRoute} from '../route';
import {texts} from '../texts';
import {useShared} from './context';
import {csv} from './csv';
import {download} from './small';

export interface Column<T> {
  id: string;
  label: string;
  title?: string;
  /** For sorting and CSV. */
  value: (row: T) => number | string | null | undefined;
  /** What is on screen; default: the value. */
  show?: (row: T) => ComponentChildren;
  number?: boolean;
  /** Hidden until chosen. */
  extra?: boolean;
  /** Not shown on a phone. */
  minor?: boolean;
  /** Takes the width that is left. */
  wide?: boolean;
  /** The label is a name, such as that of a file, and stays as it is. */
  named?: boolean;
}

interface Props<T> {
  name: string;
  label: string;
  rows: T[];
  columns: Array<Column<T>>;
  keyOf: (row: T) => string;
  /** Where the state lives: in the address (one table per part) or in the table. */
  inAddress?: boolean;
  /** Text that the search looks at; no search without. */
  text?: (row: T) => string;
  open?: (row: T) => ComponentChildren;
  sort?: string;
  tools?: ComponentChildren;
  /** Rows at first. */
  limit?: number;
  mark?: (row: T) => string;
}

type State = Record<'q' | 'sort' | 'cols' | 'row', string>;

function useTableState(inAddress: boolean): [State, (change: Partial<State>) => void] {
  const route = useRoute();
  const [local, setLocal] = useState<State>({q: '', sort: '', cols: '', row: ''});
  const {q = '', sort = '', cols = '', row = ''} = route.values;
  if (inAddress) return [{q, sort, cols, row}, (change) => setValues(change as Record<string, string>)];
  return [local, (change) => setLocal({...local, ...change})];
}

/** Words begin with a capital letter; q and p99 are no words. */
const headOf = (label: string): string => (label.length > 3 ? label[0].toUpperCase() + label.slice(1) : label);

function sorted<T>(rows: T[], column: Column<T> | undefined, down: boolean): T[] {
  if (!column) return rows;
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = column.value(a),
      y = column.value(b);
    const missing = (v: unknown): boolean => v === null || v === undefined;
    if (missing(x) || missing(y)) return Number(missing(x)) - Number(missing(y)); // unknown comes last
    if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
    return sign * String(x).localeCompare(String(y));
  });
}

function ColumnChoice<T>(props: {columns: Array<Column<T>>; shown: Set<string>; onChange: (ids: string[]) => void}) {
  const toggle = (id: string): void => {
    const next = new Set(props.shown);
    if (!next.delete(id)) next.add(id);
    props.onChange(props.columns.map((c) => c.id).filter((c) => next.has(c)));
  };
  return (
    <details
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.open = false;
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget as Node)) event.currentTarget.open = false;
      }}
    >
      <summary>{texts().table.columns}</summary>
      <div>
        {props.columns.map((c) => (
          <label>
            <input type="checkbox" checked={props.shown.has(c.id)} onChange={() => toggle(c.id)} /> {c.label}
          </label>
        ))}
      </div>
    </details>
  );
}

function moveFocus(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const stops = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[data-stop]')];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

export function Table<T>(props: Props<T>) {
  const t = texts().table;
  const {say} = useShared();
  const [state, setState] = useTableState(props.inAddress === true);
  const [limit, setLimit] = useState(props.limit ?? 100);
  const chosen = state.cols ? new Set(state.cols.split('.')) : new Set(props.columns.filter((c) => !c.extra).map((c) => c.id));
  const columns = props.columns.filter((c) => chosen.has(c.id));
  const sort = state.sort || props.sort || '';
  const down = sort.startsWith('-');
  const sortId = sort.replace(/^-/, '');

  const rows = useMemo(() => {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const found =
      words.length === 0 || !props.text
        ? props.rows
        : props.rows.filter((row) => words.every((word) => props.text!(row).toLowerCase().includes(word)));
    return sorted(
      found,
      props.columns.find((c) => c.id === sortId),
      down,
    );
  }, [props.rows, props.columns, state.q, sort]);

  const asCsv = (): string =>
    csv(
      columns.map((c) => c.label),
      rows.map((row) => columns.map((c) => c.value(row))),
    );
  const copy = (): void => {
    void navigator.clipboard.writeText(asCsv()).then(
      () => say(t.copied(rows.length)),
      () => download(`${props.name}.csv`, asCsv()),
    );
  };
  const sortBy = (column: Column<T>): void => {
    const first = column.number ? `-${column.id}` : column.id;
    const other = column.number ? column.id : `-${column.id}`;
    setState({sort: sort === first ? other : first});
  };
  const header = (column: Column<T>) => (
    <th
      scope="col"
      class={`${column.number ? 'number' : ''} ${column.minor ? 'minor' : ''} ${column.wide ? 'wide' : ''}`}
      aria-sort={sortId === column.id ? (down ? 'descending' : 'ascending') : undefined}
      title={column.title}
    >
      <button type="button" onClick={() => sortBy(column)}>
        {column.named ? column.label : headOf(column.label)}
        {sortId === column.id ? <span aria-hidden="true">{down ? ' ↓' : ' ↑'}</span> : null}
      </button>
    </th>
  );
  const cell = (column: Column<T>, row: T) => (
    <td
      class={`${column.number ? 'number' : ''} ${column.minor ? 'minor' : ''} ${column.wide ? 'wide' : ''}`}
      title={column.wide ? undefined : column.title}
    >
      {column.show ? column.show(row) : (column.value(row) ?? texts().unknown)}
    </td>
  );
  const line = (row: T) => {
    const key = props.keyOf(row);
    const isOpen = props.open !== undefined && state.row === key;
    return (
      <Fragment key={key}>
        <tr class={`${isOpen ? 'open' : ''} ${props.mark?.(row) ?? ''}`}>
          {props.open ? (
            <td class="opener">
              <button
                type="button"
                data-stop
                aria-expanded={isOpen}
                aria-label={t.details}
                onClick={() => setState({row: isOpen ? '' : key})}
              >
                {isOpen ? '▾' : '▸'}
              </button>
            </td>
          ) : null}
          {columns.map((column) => cell(column, row))}
        </tr>
        {isOpen ? (
          <tr class="detail">
            <td colSpan={columns.length + 1}>{props.open!(row)}</td>
          </tr>
        ) : null}
      </Fragment>
    );
  };

  return (
    <div class="table">
      <div class="tools">
        {props.text ? (
          <input
            type="search"
            class="search"
            data-search
            placeholder={t.search}
            aria-label={`${t.search}: ${props.label}`}
            value={state.q}
            onInput={(event) => setState({q: event.currentTarget.value})}
          />
        ) : null}
        {props.tools}
        <span class="grow" />
        <span class="muted" role="status">
          {t.shown(rows.length, props.rows.length)}
        </span>
        {props.columns.some((c) => c.extra) ? (
          <ColumnChoice columns={props.columns} shown={chosen} onChange={(ids) => setState({cols: ids.join('.')})} />
        ) : null}
        <button type="button" onClick={copy}>
          {t.copy}
        </button>
        <button type="button" onClick={() => download(`${props.name}.csv`, asCsv())}>
          CSV
        </button>
      </div>
      <div class="scroll">
        <table aria-label={props.label} onKeyDown={moveFocus}>
          <thead>
            <tr>
              {props.open ? <th class="opener" /> : null}
              {columns.map(header)}
            </tr>
          </thead>
          <tbody>{rows.slice(0, limit).map(line)}</tbody>
        </table>
      </div>
      {rows.length > limit ? (
        <button type="button" class="more" onClick={() => setLimit(limit * 4)}>
          {t.more(rows.length - limit)}
        </button>
      ) : null}
    </div>
  );
}
