// The texts of the page, in the language that was chosen or that the browser asks for.

import {en} from './en';
import {zh} from './zh';

/** The shape of a language: what en has, each text free. */
type Free<T> = {
  [K in keyof T]: T[K] extends string ? string : T[K] extends (...args: infer A) => string ? (...args: A) => string : Free<T[K]>;
};
export type Texts = Free<typeof en>;

export const languages: Record<string, Texts> = {en, zh};

let chosen = '';

export function language(): string {
  if (!chosen) {
    const kept = read('tactus-language');
    chosen = kept && kept in languages ? kept : navigator.language.startsWith('zh') ? 'zh' : 'en';
  }
  return chosen;
}

export function chooseLanguage(name: string): void {
  chosen = name;
  keep('tactus-language', name);
}

export const texts = (): Texts => languages[language()];

/** Some browsers refuse storage to files; the page works without. */
export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // not kept
  }
}
