// A canvas with marks. Marks can be pointed at, walked through with the arrow keys, opened with Enter, and read as a list.

import {useEffect, useRef, useState} from 'preact/hooks';
import {texts} from '../texts';
import {colours, type Colours} from '../theme';
import {useShared} from '../widgets/context';

export interface Mark {
  x: number;
  y: number;
  w: number;
  h: number;
  colour: string;
  label: string;
  round?: boolean;
  hollow?: boolean;
  open?: () => void;
}

export interface Scene {
  marks: Mark[];
  lines?: Array<{points: number[]; colour: string; width?: number; dash?: number[]; fill?: string}>;
  notes?: Array<{x: number; y: number; text: string; align?: CanvasTextAlign; colour?: string; bold?: boolean}>;
}

export type Build = (width: number, height: number, colours: Colours) => Scene;

const font = '12px system-ui, sans-serif';

function drawMark(context: CanvasRenderingContext2D, mark: Mark, c: Colours, selected: boolean): void {
  context.beginPath();
  if (mark.round) context.ellipse(mark.x + mark.w / 2, mark.y + mark.h / 2, mark.w / 2, mark.h / 2, 0, 0, 7);
  else context.rect(mark.x, mark.y, mark.w, mark.h);
  if (mark.hollow) {
    context.strokeStyle = mark.colour;
    context.lineWidth = 1.5;
    context.stroke();
  } else {
    context.fillStyle = mark.colour;
    context.globalAlpha = mark.round ? 0.72 : 1;
    context.fill();
    context.globalAlpha = 1;
  }
  if (!selected) return;
  context.strokeStyle = c.text;
  context.lineWidth = 2;
  context.strokeRect(mark.x - 2, mark.y - 2, mark.w + 4, mark.h + 4);
}

function drawScene(context: CanvasRenderingContext2D, scene: Scene, selected: number, c: Colours): void {
  context.font = font;
  for (const line of scene.lines ?? []) {
    context.beginPath();
    for (let i = 0; i < line.points.length; i += 2) context.lineTo(line.points[i], line.points[i + 1]);
    if (line.fill) {
      context.fillStyle = line.fill;
      context.fill();
      continue;
    }
    context.strokeStyle = line.colour;
    context.lineWidth = line.width ?? 1;
    context.setLineDash(line.dash ?? []);
    context.stroke();
    context.setLineDash([]);
  }
  scene.marks.forEach((mark, i) => i !== selected && drawMark(context, mark, c, false));
  if (scene.marks[selected]) drawMark(context, scene.marks[selected], c, true);
  for (const note of scene.notes ?? []) {
    context.font = note.bold ? `600 ${font}` : font;
    context.textAlign = note.align ?? 'left';
    context.fillStyle = note.colour ?? c.muted;
    context.fillText(note.text, note.x, note.y);
  }
}

/** The mark under the pointer: the smallest that is hit, with some slack for thin ones. */
function hit(marks: Mark[], x: number, y: number): number {
  let best = -1,
    bestArea = Infinity;
  marks.forEach((mark, i) => {
    const slackX = Math.max(0, (6 - mark.w) / 2),
      slackY = Math.max(0, (6 - mark.h) / 2);
    if (x < mark.x - slackX || x > mark.x + mark.w + slackX) return;
    if (y < mark.y - slackY || y > mark.y + mark.h + slackY) return;
    const area = mark.w * mark.h + Math.abs(x - mark.x - mark.w / 2);
    if (area < bestArea) [best, bestArea] = [i, area];
  });
  return best;
}

export function prepareCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const scale = window.devicePixelRatio || 1;
  const w = Math.round(width * scale),
    h = Math.round(height * scale);
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Calls draw now, after each change of size and theme. */
export function useRedraw(target: {current: HTMLElement | null}, draw: () => void, keys: unknown[]): void {
  useEffect(() => {
    draw();
    const observer = new ResizeObserver(draw);
    if (target.current) observer.observe(target.current);
    window.addEventListener('tactus-theme', draw);
    return () => {
      observer.disconnect();
      window.removeEventListener('tactus-theme', draw);
    };
  }, keys);
}

export function Chart(props: {label: string; height: number; build: Build; keys: unknown[]; list?: boolean}) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<Scene>({marks: []});
  const [selected, setSelected] = useState(-1);
  const [tip, setTip] = useState<{x: number; y: number; text: string} | null>(null);
  const [listed, setListed] = useState(false);
  const {say} = useShared();

  const draw = (): void => {
    if (!box.current || !canvas.current) return;
    const width = box.current.clientWidth;
    scene.current = props.build(width, props.height, colours());
    drawScene(prepareCanvas(canvas.current, width, props.height), scene.current, selected, colours());
  };
  useRedraw(box, draw, [...props.keys, selected, props.height]);

  const at = (event: MouseEvent): number => hit(scene.current.marks, event.offsetX, event.offsetY);
  const move = (event: MouseEvent): void => {
    const mark = scene.current.marks[at(event)];
    setTip(mark ? {x: event.offsetX, y: event.offsetY, text: mark.label} : null);
    canvas.current!.classList.toggle('pointing', mark?.open !== undefined);
  };
  const key = (event: KeyboardEvent): void => {
    const {marks} = scene.current;
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key] ?? 0;
    let next = selected + step;
    if (event.key === 'Home') next = 0;
    else if (event.key === 'End') next = marks.length - 1;
    else if (event.key === 'Enter') marks[selected]?.open?.();
    else if (event.key === 'Escape') next = -1;
    else if (step === 0) return;
    event.preventDefault();
    next = Math.max(-1, Math.min(marks.length - 1, next));
    setSelected(next);
    const mark = marks[next];
    setTip(mark ? {x: mark.x + mark.w / 2, y: mark.y + mark.h / 2, text: mark.label} : null);
    if (mark) say(mark.label);
  };

  return (
    <div class="chart">
      <div ref={box} class="chart-box" style={{height: `${props.height}px`}}>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-roledescription={texts().chart.role}
          aria-label={`${props.label}. ${texts().chart.keys}`}
          style={{height: `${props.height}px`}}
          onMouseMove={move}
          onMouseLeave={() => setTip(null)}
          onKeyDown={key}
          onBlur={() => setTip(null)}
          onClick={(event) => scene.current.marks[at(event)]?.open?.()}
        />
        {tip ? <Tip {...tip} width={box.current?.clientWidth ?? 0} /> : null}
      </div>
      {props.list === false ? null : (
        <details class="as-list" onToggle={(event) => setListed(event.currentTarget.open)}>
          <summary>{texts().chart.list}</summary>
          {listed ? (
            <ol>
              {scene.current.marks.slice(0, 500).map((mark) => (
                <li>{mark.label}</li>
              ))}
            </ol>
          ) : null}
        </details>
      )}
    </div>
  );
}

/** A box beside the pointer; the text may have several lines. */
export function Tip(props: {x: number; y: number; text: string; width: number}) {
  const left = props.x > props.width / 2;
  const style = left
    ? {right: `${props.width - props.x + 12}px`, top: `${props.y + 12}px`}
    : {left: `${props.x + 12}px`, top: `${props.y + 12}px`};
  return (
    <div class="tip" style={style} role="presentation">
      {props.text}
    </div>
  );
}
