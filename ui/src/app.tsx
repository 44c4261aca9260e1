// The frame around the parts: title, run, navigation, language, theme.

import {useEffect, useState} from 'preact/hooks';
import type {Documents} from './data/documents';
import type {RunsItem as RunEntry} from './generated/documents';
import type {Info} from './generated/documents';
import {parts} from './parts';
import {openInPerfetto} from './perfetto';
import {go, setValues, useRoute} from './route';
import {chooseLanguage, language, texts} from './texts';
import {chooseTheme, theme} from './theme';
import {SharedContext, useLoaded} from './widgets/context';

const refreshMs = 2000;

/** Asks for the runs again while one of them grows; the version counts up when there is something new. */
function useRuns(documents: Documents): {runs: RunEntry[] | null; error: string | null; version: number; refresh: () => void} {
  const [state, setState] = useState<{runs: RunEntry[] | null; error: string | null; version: number}>({
    runs: null,
    error: null,
    version: 0,
  });
  const load = (): void => {
    documents.forget('runs');
    const promise = documents.has('runs') ? documents.json<RunEntry[]>('runs') : Promise.resolve([]);
    promise.then(
      (runs) =>
        setState((old) => {
          const grown = runs.filter((run) => old.runs?.some((r) => r.index === run.index && r.generation !== run.generation));
          for (const run of grown) documents.forget(`run/${run.index}/`);
          const same = grown.length === 0 && JSON.stringify(runs) === JSON.stringify(old.runs);
          return same ? old : {runs, error: null, version: old.version + (grown.length > 0 ? 1 : 0)};
        }),
      (error: Error) => setState((old) => ({...old, error: error.message})),
    );
  };
  const live = state.runs?.some((run) => run.live) ?? false;
  useEffect(load, []);
  useEffect(() => {
    const timer = live ? setInterval(load, refreshMs) : undefined;
    return () => clearInterval(timer);
  }, [live]);
  return {...state, refresh: load};
}

/** Keys that work everywhere: / searches, numbers open parts. */
function useKeys(shown: string[]): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('[data-search]');
        if (search) event.preventDefault();
        search?.focus();
      }
      const part = shown['1234567890'.indexOf(event.key)];
      if (event.key.length === 1 && '1234567890'.includes(event.key) && part) go(part, runOnly());
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [shown.join()]);
}

const runOnly = (): Record<string, string> => {
  const run = new URLSearchParams(location.hash.split('?')[1] ?? '').get('run');
  return run ? {run} : {};
};

/** What is said in place of a part that this page does not have. */
function NoPart({asked, shown, run}: {asked: string; shown: typeof parts; run: string | undefined}) {
  const t = texts();
  const known = parts.find((part) => part.id === asked);
  return (
    <div role="alert">
      <h1>{known ? t.noData(t.parts[known.id]) : t.noPart(asked)}</h1>
      <ul>
        {shown.map((part) => (
          <li>
            <a href={`#${part.id}${run ? `?run=${run}` : ''}`}>{t.parts[part.id]}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function App({documents}: {documents: Documents}) {
  const route = useRoute();
  const [, setLanguage] = useState(language());
  const [shade, setShade] = useState(theme());
  const [said, setSaid] = useState('');
  const {runs, error, version, refresh} = useRuns(documents);
  const known = runs ?? [];
  const t = texts();
  const run = Number(route.values.run ?? known[0]?.index ?? 0);
  const isRun = known.some((r) => r.index === run && r.kind === 'trace');
  const info = useLoaded<Info>(
    () => (isRun && documents.has(`run/${run}/info`) ? documents.json(`run/${run}/info`) : null),
    [run, isRun],
  );
  const given = {documents, runs: known, run, info: info.value};
  const shown = runs ? parts.filter((part) => part.shown(given)) : [];
  useKeys(shown.map((part) => part.id));
  const opens: string = {opinion: 'notes', table: 'notes'}[documents.head.open] ?? documents.head.open;
  const first = shown.find((part) => part.id === opens) ?? shown.find((part) => part.id !== 'runs') ?? shown[0];
  const chosen = shown.find((part) => part.id === route.part);
  // Whether a part has data may only be known once the run's info is here.
  const settled = !isRun || info.value !== null || info.error !== null || !documents.has(`run/${run}/info`);
  const missing = route.part !== '' && !chosen && runs !== null && settled;
  const current = chosen ?? (route.part === '' ? first : undefined);
  useEffect(() => {
    document.documentElement.lang = language() === 'zh' ? 'zh-CN' : 'en';
    document.title = `${documents.head.title} – ${current ? t.parts[current.id] : 'Tactus'}`;
  });
  // On a phone, the parts are wider than the screen.
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }, [current?.id]);
  const View = current?.view;
  const title = known.find((r) => r.index === run)?.name ?? documents.head.title;

  return (
    <SharedContext.Provider value={{documents, runs: known, run, version, onNew: refresh, say: setSaid}}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        {t.skip}
      </a>
      <header>
        <div class="top">
          <strong class="brand">Tactus</strong>
          {known.length > 1 ? (
            <select
              aria-label={t.run}
              value={String(run)}
              onChange={(event) => setValues({run: event.currentTarget.value, row: ''})}
            >
              {known.map((r) => (
                <option value={String(r.index)}>{r.name}</option>
              ))}
            </select>
          ) : (
            <span class="title" title={title}>
              {title}
            </span>
          )}
          {known.find((r) => r.index === run)?.live ? <span class="live">{t.live}</span> : null}
          <span class="grow" />
          {documents.head.mode === 'serve' && isRun ? (
            <button
              type="button"
              onClick={() => openInPerfetto(documents, run, title).catch((error: Error) => setSaid(error.message))}
            >
              {t.perfetto}
            </button>
          ) : null}
          <button
            type="button"
            aria-label={t.language}
            onClick={() => {
              const next = language() === 'en' ? 'zh' : 'en';
              chooseLanguage(next);
              setLanguage(next);
            }}
          >
            {language() === 'en' ? '中文' : 'English'}
          </button>
          <button
            type="button"
            aria-label={t.theme}
            title={t.theme}
            onClick={() => {
              const next = shade === 'dark' ? 'light' : 'dark';
              chooseTheme(next);
              setShade(next);
            }}
          >
            {shade === 'dark' ? '☀' : '☾'}
          </button>
        </div>
        <nav aria-label={t.navigation}>
          {shown.map((part) => (
            <a
              href={`#${part.id}${route.values.run ? `?run=${route.values.run}` : ''}`}
              aria-current={part === current ? 'page' : undefined}
            >
              {t.parts[part.id]}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1} class={`part-${current?.id ?? 'none'}`}>
        {error ? (
          <p class="error" role="alert">
            {error}
          </p>
        ) : null}
        {(documents.head.warnings ?? []).map((warning) => (
          <p class="error" role="note">
            {warning}
          </p>
        ))}
        {missing ? <NoPart asked={route.part} shown={shown} run={route.values.run} /> : null}
        {View ? <View key={`${current.id} ${run}`} /> : missing ? null : runs && settled ? <p>{t.nothing}</p> : <p class="waiting">{t.loading}</p>}
      </main>
      <footer>{t.footer(documents.head.tactus)}</footer>
      <div class="unseen" role="status" aria-live="polite">
        {said}
      </div>
    </SharedContext.Provider>
  );
}
