// Numbers as people read them. Unknown is a word, never 0.

import {texts} from './texts';

const units: Array<[number, string]> = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'μs'],
];

/** A time with its unit: 2.472 ms */
export function time(ns: number | null | undefined): string {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return texts().unknown;
  const size = Math.abs(ns);
  for (const [scale, unit] of units) if (size >= scale) return `${(ns / scale).toFixed(3)} ${unit}`;
  return `${Number.isInteger(ns) ? ns : ns.toFixed(1)} ns`;
}

/** A time in about three digits, for axes and narrow places: 2.47 ms */
export function shortTime(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return texts().unknown;
  const size = Math.abs(ns);
  if (size === 0) return '0';
  for (const [scale, unit] of units) if (size >= scale) return `${digits(ns / scale)} ${unit}`;
  return `${digits(ns)} ns`;
}

export function signedTime(ns: number | null): string {
  return ns !== null && ns > 0 ? `+${time(ns)}` : time(ns);
}

/** Three significant digits without an exponent. */
export function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return trim(value.toFixed(1));
  if (size >= 0.01) return trim(value.toFixed(size >= 1 ? 2 : 3));
  return value.toPrecision(2);
}

const trim = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

export function share(part: number | null | undefined): string {
  return part === null || part === undefined ? texts().unknown : `${(100 * part).toFixed(1).replace(/^-0\.0$/, '0.0')}%`;
}

export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? texts().unknown : `${value.toFixed(1)}%`;
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? texts().unknown : Math.round(value).toLocaleString('en-US');
}

export function ratio(value: number | null | undefined): string {
  if (value === null || value === undefined) return texts().unknown;
  return `×${value >= 10 ? value.toFixed(1) : value.toPrecision(3)}`;
}

export function amount(value: number | null | undefined): string {
  if (value === null || value === undefined) return texts().unknown;
  if (Math.abs(value) >= 1e7) return scaled(value, '').trim();
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en-US') : digits(value);
}

/** FLOP/s, bytes/s and the like with a prefix: 1.23 T */
export function scaled(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return texts().unknown;
  const prefixes: Array<[number, string]> = [
    [1e15, 'P'],
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [scale, prefix] of prefixes) if (Math.abs(value) >= scale) return `${digits(value / scale)} ${prefix}${unit}`;
  return `${digits(value)} ${unit}`;
}

/** A number in few letters, for axes: 0.01, 100, 100k */
export function short(value: number): string {
  return scaled(value, '').replace(' ', '');
}

/** A level of a counter with its unit: 16.1 GB, 1,980 MHz, 52% */
export function level(value: number | null | undefined, unit: string | null | undefined): string {
  if (value === null || value === undefined || !unit) return amount(value);
  if (unit === 'bytes' || unit === 'bytes/s') return scaled(value, unit.replace('bytes', 'B'));
  return unit === '%' ? `${digits(value)}%` : `${amount(value)} ${unit === 'C' ? '°C' : unit}`;
}

/** What is known of the tail of some times: below a hundred, the longest. */
export function tail(times: number, p99: number | null, longest: number | null): {name: string; ns: number | null} {
  return times >= 100 ? {name: 'p99', ns: p99} : {name: texts().longestOf(times), ns: longest};
}

export function tailNote(times: number, p99: number | null, longest: number | null): string {
  const {name, ns} = tail(times, p99, longest);
  return `${times >= 100 ? name : texts().longest} ${time(ns)} · ${count(times)}`;
}

/** A q or p value. */
export function chance(value: number | null | undefined): string {
  if (value === null || value === undefined) return texts().unknown;
  return value < 0.001 ? '<0.001' : value.toFixed(3);
}

/** [[32, 4096], [4096, 14336]] as 32x4096, 4096x14336 */
export function dims(value: unknown): string {
  if (!Array.isArray(value)) return '';
  const one = (dim: unknown): string => (Array.isArray(dim) ? dim.map(String).join('×') : '');
  return value.map(one).filter(Boolean).join(', ');
}

/** The last part of a path with its line: CUDABlas.cpp:120 */
export function place(source: {file: string; line?: number | null; function?: string | null} | null | undefined): string {
  if (!source) return '';
  const file = source.file.split('/').pop() ?? source.file;
  return source.line ? `${file}:${source.line}` : source.function ? `${file} ${source.function}` : file;
}

/** A name in so many letters: what it is called stays longer than where it is (a file, "nn.Module:"). */
export function fitted(name: string, letters: number): string {
  if (name.length <= letters) return name;
  const called = /^(?:nn\.Module: |[^ ]*\(\d+\): |\w+::)(.+)$/.exec(name)?.[1] ?? name;
  return called.length <= letters ? called : `${called.slice(0, Math.max(1, letters - 1))}…`;
}

/** A kernel's name without namespaces, template arguments and parameters; a stand-in where none was recorded. */
export function shortName(name: string): string {
  let depth = 0;
  let out = '';
  for (const c of name.replace(/^void /, '')) {
    if (c === '<') depth++;
    if (depth === 0 && c === '(' && out.length > 0 && !out.endsWith('::')) break;
    if (depth === 0) out += c;
    if (c === '>' && depth > 0) depth--;
  }
  return out.split('::').pop()?.trim() || name;
}
