// Light and dark, and the colours that canvases take from the style sheet.

import {keep, read} from './texts';

export type Theme = 'light' | 'dark';

const asked = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

export function theme(): Theme {
  const kept = read('tactus-theme');
  return kept === 'light' || kept === 'dark' ? kept : asked();
}

export function applyTheme(value: Theme): void {
  document.documentElement.dataset.theme = value;
  cached = null;
  window.dispatchEvent(new Event('tactus-theme'));
}

export function chooseTheme(value: Theme): void {
  keep('tactus-theme', value);
  applyTheme(value);
}

/** Follows the system while nobody has chosen. */
export function followSystem(): void {
  applyTheme(theme());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => applyTheme(theme()));
}

export interface Colours {
  text: string;
  muted: string;
  line: string;
  page: string;
  surface: string;
  accent: string;
  warm: string;
  good: string;
}

let cached: Colours | null = null;

export function colours(): Colours {
  if (!cached) {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string): string => style.getPropertyValue(name).trim();
    cached = {
      text: value('--text'),
      muted: value('--muted'),
      line: value('--line'),
      page: value('--page'),
      surface: value('--surface'),
      accent: value('--accent'),
      warm: value('--warm'),
      good: value('--good'),
    };
  }
  return cached;
}

// Told apart with the three common kinds of colour blindness: they differ in lightness as well as in hue.
const familyColours: Record<string, string> = {
  gemm: '#3b7dbf',
  gemv: '#5a95cf',
  splitk_reduce: '#86b4e0',
  attention: '#e08e0b',
  attention_prepare: '#f0b65a',
  attention_combine: '#f5cf94',
  activation: '#b3a125',
  norm: '#8d63b0',
  kv_write: '#c59ad6',
  fill: '#a7adb5',
  copy: '#7f8a96',
  rope: '#d6678f',
  sampling: '#e7a3bd',
  gather: '#59606a',
  elementwise: '#2a9d8f',
  scan: '#8cc7a1',
  reduce: '#5f9e4b',
  moe: '#a4552f',
  quantise: '#c98b6b',
  conv: '#1f5f99',
  collective: '#c8443c',
  bookkeeping: '#b9bec5',
  other: '#9aa2ab',
};
const hostColours = ['#9db4c8', '#b7c6b0', '#d3c3a4', '#c7b3c9', '#a9c4c2', '#cdb4a8', '#b3b7cf', '#c4c8a8'];
const phaseColours: Record<string, string> = {prefill: '#e08e0b', decode: '#3b7dbf', mixed: '#2a9d8f', unknown: '#8a939d'};

export const familyColour = (family: string): string => familyColours[family] ?? familyColours.other;
export const phaseColour = (phase: string): string => phaseColours[phase] ?? phaseColours.unknown;

/** A calm colour for a host slice, the same for the same name. */
export function hostColour(name: string): string {
  let hash = 7;
  for (let i = 0; i < Math.min(name.length, 24); ++i) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return hostColours[hash % hostColours.length];
}
