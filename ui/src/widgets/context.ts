// What every part of the page can reach: the documents, the runs, and the run that is shown.

import {createContext} from 'preact';
import {useContext, useEffect, useState} from 'preact/hooks';
import type {Documents} from '../data/documents';
import type {RunsItem as RunEntry} from '../generated/documents';

export interface Shared {
  documents: Documents;
  runs: RunEntry[];
  run: number;
  /** Grows when a live run has new data. */
  version: number;
  /** There are more runs than before. */
  onNew(): void;
  /** Reads a sentence out to those who cannot see the marks. */
  say(text: string): void;
}

export const SharedContext = createContext<Shared>(null as unknown as Shared);
export const useShared = (): Shared => useContext(SharedContext);

export interface Loaded<T> {
  value: T | null;
  error: string | null;
}

/** Loads something when the keys change. The old value stays until the new one is there. */
export function useLoaded<T>(load: () => Promise<T> | null, keys: unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({value: null, error: null});
  useEffect(() => {
    let current = true;
    const promise = load();
    if (!promise) {
      setState({value: null, error: null});
      return undefined;
    }
    promise.then(
      (value) => current && setState({value, error: null}),
      (error: unknown) => current && setState({value: null, error: error instanceof Error ? error.message : String(error)}),
    );
    return () => {
      current = false;
    };
  }, keys);
  return state;
}

/** A document of the run that is shown, or of another one; null where the report does not hold it. */
export function useRunDocument<T>(name: string, query?: Record<string, string>, run?: number): Loaded<T> {
  const {documents, run: shown, version} = useShared();
  const full = `run/${run ?? shown}/${name}`;
  const phase = query ? JSON.stringify(query) : '';
  return useLoaded<T>(() => {
    const keys = Object.keys(query ?? {});
    const held = keys.length === 0 ? full : `${full}?${keys.map((key) => `${key}=${query![key]}`).join('&')}`;
    return documents.has(held) ? documents.json<T>(full, query) : null;
  }, [full, phase, version]);
}
