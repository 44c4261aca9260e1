// The state of the page lives in the address after #, so that a link restores it: #kernels?q=gemm&sort=-total_ns

import {useEffect, useState} from 'preact/hooks';

export interface Route {
  part: string;
  values: Record<string, string>;
}

export function readRoute(): Route {
  const [part, query = ''] = location.hash.slice(1).split('?');
  return {part, values: Object.fromEntries(new URLSearchParams(query))};
}

function write(route: Route, keep: boolean): void {
  const query = new URLSearchParams(Object.entries(route.values).filter(([, value]) => value !== '')).toString();
  const hash = `#${route.part}${query ? `?${query}` : ''}`;
  if (hash === location.hash) return;
  if (keep) location.hash = hash;
  else history.replaceState(null, '', hash);
  window.dispatchEvent(new Event('tactus-route'));
}

/** Opens a part, as a step that "back" undoes. */
export function go(part: string, values: Record<string, string> = {}): void {
  write({part, values}, true);
}

/** Changes values of the present part, without a step of the history. */
export function setValues(change: Record<string, string>): void {
  const route = readRoute();
  write({part: route.part, values: {...route.values, ...change}}, false);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const update = (): void => setRoute(readRoute());
    window.addEventListener('hashchange', update);
    window.addEventListener('tactus-route', update);
    return () => {
      window.removeEventListener('hashchange', update);
      window.removeEventListener('tactus-route', update);
    };
  }, []);
  return route;
}
