// Small pieces that many parts use.

import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {fieldMeanings} from '../generated/documents';
import {texts} from '../texts';
import type {Loaded} from './context';

/** The definition of a field, for hovering: "median of a launch [ns]". */
export function meaning(document: string, path: string): string {
  const found = fieldMeanings[document]?.[path];
  if (!found) return '';
  const [unit, text] = found;
  return unit ? `${text} [${unit}]` : text;
}

/** A number or word with its definition on hover. */
export function Term(props: {of: string; children: ComponentChildren}) {
  const [document, path] = props.of.split(':');
  return (
    <span class="term" title={meaning(document, path)}>
      {props.children}
    </span>
  );
}

export function Fact(props: {label: string; of?: string; title?: string; children: ComponentChildren; note?: string}) {
  const [document, path] = (props.of ?? ':').split(':');
  return (
    <div class="fact" title={props.title ?? meaning(document, path)}>
      <dt>{props.label}</dt>
      <dd>
        {props.children}
        {props.note ? <small> {props.note}</small> : null}
      </dd>
    </div>
  );
}

export function Panel(props: {title: string; note?: string; id?: string; class?: string; children: ComponentChildren}) {
  return (
    <section class={`panel ${props.class ?? ''}`} id={props.id} aria-label={props.title}>
      <h2>
        {props.title}
        {props.note ? <small>{props.note}</small> : null}
      </h2>
      {props.children}
    </section>
  );
}

/** What is shown while a document is on its way, or why it is not there. */
export function Waiting(props: {of: Loaded<unknown>}) {
  if (props.of.error)
    return (
      <p class="error" role="alert">
        {props.of.error}
      </p>
    );
  return (
    <p class="waiting" role="status">
      <Clock text={texts().loading} />
    </p>
  );
}

/** A text, and how long it has been there, from the first second on. */
export function Clock({text}: {text: string}) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const begin = performance.now();
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - begin) / 1000)), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      {text}
      {seconds > 0 ? ` ${seconds} s` : ''}
    </>
  );
}

/** A horizontal bar with its label and value; part is from 0 to 1. */
export function Bar(props: {label: string; part: number; value: string; colour?: string; title?: string; href?: string}) {
  const width = `${Math.max(0, Math.min(1, props.part)) * 100}%`;
  return (
    <li class="bar" title={props.title}>
      <span class="bar-label">{props.href ? <a href={props.href}>{props.label}</a> : props.label}</span>
      <span class="bar-track">
        <span class="bar-fill" style={{width, background: props.colour}} />
      </span>
      <span class="bar-value">{props.value}</span>
    </li>
  );
}

export function Lines(props: {items: string[]; class?: string}) {
  if (props.items.length === 0) return null;
  return (
    <ul class={`lines ${props.class ?? ''}`}>
      {props.items.map((item) => (
        <li>{item}</li>
      ))}
    </ul>
  );
}

/** Offers a text as a file. */
export function download(name: string, text: string, type = 'text/csv'): void {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A choice of one of a few, as buttons. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: Array<[T, string]>;
  onChange: (value: T) => void;
}) {
  return (
    <div class="choice" role="group" aria-label={props.label}>
      {props.options.map(([value, label]) => (
        <button type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {label}
        </button>
      ))}
    </div>
  );
}
