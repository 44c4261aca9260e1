// Where documents come from: blocks inside a report, or the server. The rest of the page does not know which.

import type {PageHead as Head} from '../generated/documents';
import {textOf, unpack} from './packed';
import {restore, type SharedJson} from './shared';

export interface Documents {
  head: Head;
  has(name: string): boolean;
  json<T>(name: string, query?: Record<string, string>): Promise<T>;
  bytes(name: string, query?: Record<string, string>): Promise<ArrayBuffer>;
  /** Server only. */
  post(name: string, body: BodyInit, headers?: Record<string, string>): Promise<Response>;
  forget(prefix: string): void;
}

function fullName(name: string, query: Record<string, string> = {}): string {
  const keys = Object.keys(query).sort();
  if (keys.length === 0) return name;
  return `${name}?${keys.map((key) => `${key}=${encodeURIComponent(query[key])}`).join('&')}`;
}

/** A cache of promises: a document is read once; one that failed is tried again. */
class Cache {
  private readonly kept = new Map<string, Promise<unknown>>();

  get<T>(name: string, make: () => Promise<T>): Promise<T> {
    let promise = this.kept.get(name) as Promise<T> | undefined;
    if (!promise) {
      promise = make();
      this.kept.set(name, promise);
      promise.catch(() => this.kept.delete(name));
    }
    return promise;
  }

  forget(prefix: string): void {
    for (const name of [...this.kept.keys()]) if (name.startsWith(prefix)) this.kept.delete(name);
  }
}

class ReportDocuments implements Documents {
  private readonly blocks = new Map<string, Element>();
  private readonly names: Set<string>;
  private readonly cache = new Cache();

  constructor(readonly head: Head) {
    this.names = new Set(head.documents);
    for (const element of document.querySelectorAll('script.tactus-document')) {
      this.blocks.set(element.getAttribute('data-name') ?? '', element);
    }
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  private shared(): Promise<SharedJson> {
    return this.cache.get('', async () => {
      const block = document.getElementById('tactus-json');
      return block ? (JSON.parse(textOf(await unpack(block))) as SharedJson) : {strings: [], documents: {}};
    });
  }

  private block(name: string): Element {
    const element = this.blocks.get(name);
    if (!element) throw new Error(`The report does not hold ${name}.`);
    return element;
  }

  json<T>(name: string, query?: Record<string, string>): Promise<T> {
    const full = fullName(name, query);
    return this.cache.get(full, async () => {
      const {strings, documents} = await this.shared();
      if (Object.hasOwn(documents, full)) return restore(documents[full], strings) as T;
      return JSON.parse(textOf(await unpack(this.block(full)))) as T;
    });
  }

  async bytes(name: string, query?: Record<string, string>): Promise<ArrayBuffer> {
    return unpack(this.block(fullName(name, query)));
  }

  post(): Promise<Response> {
    return Promise.reject(new Error('A report has no server.'));
  }

  forget(): void {}
}

class ServeDocuments implements Documents {
  private readonly cache = new Cache();

  constructor(
    readonly head: Head,
    private readonly token: string,
  ) {}

  has(): boolean {
    return true;
  }

  private async ask(path: string, options: RequestInit = {}): Promise<Response> {
    const headers = {...(options.headers as Record<string, string>), 'X-Tactus-Token': this.token};
    const response = await fetch(`/api/${path}`, {...options, headers, cache: 'no-store'});
    if (response.ok) return response;
    const text = await response.text();
    let sentence = text;
    try {
      sentence = (JSON.parse(text) as {error: string}).error;
    } catch {
      // not JSON: the text itself says what it says
    }
    throw new Error(sentence || `The server answered ${response.status}.`);
  }

  json<T>(name: string, query?: Record<string, string>): Promise<T> {
    const full = fullName(name, query);
    return this.cache.get(full, async () => (await this.ask(full)).json() as Promise<T>);
  }

  async bytes(name: string, query?: Record<string, string>): Promise<ArrayBuffer> {
    return (await this.ask(fullName(name, query))).arrayBuffer();
  }

  post(name: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
    return this.ask(name, {method: 'POST', body, headers});
  }

  forget(prefix: string): void {
    this.cache.forget(prefix);
  }
}

/** Takes the token out of the address bar, so that it is neither copied with a link nor kept in the history. */
function takeToken(): string {
  const address = new URL(location.href);
  const token = address.searchParams.get('token') ?? '';
  if (token) {
    address.searchParams.delete('token');
    history.replaceState(null, '', address.pathname + address.search + address.hash);
    sessionStorage.setItem('tactus-token', token);
  }
  return token || (sessionStorage.getItem('tactus-token') ?? '');
}

export function openDocuments(): Documents {
  const head = JSON.parse(document.getElementById('tactus-head')?.textContent ?? '{}') as Head;
  return head.mode === 'serve' ? new ServeDocuments(head, takeToken()) : new ReportDocuments(head);
}
