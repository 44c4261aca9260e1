// The canvas of the timeline with its gutter: draws a scene, and turns keys, wheel and mouse into moves of the view.

import {useEffect, useRef, useState} from 'preact/hooks';
import {Tip} from '../charts/chart';
import {texts} from '../texts';
import {useShared} from '../widgets/context';
import {type Row, rulerHeight} from './layout';
import {drawOverlay, type Marks, type Range} from './overlay';
import {Painter, type Scene} from './paint';
import {type Pick, pickAt, sentence, step} from './pick';
import {HeldKeys, type View} from './view';

export interface SurfaceProps {
  scene: Omit<Scene, 'width' | 'height' | 'scroll'>;
  height: number;
  selected: Pick | null;
  linked: Marks['linked'];
  range: Range | null;
  onSelect: (pick: Pick | null) => void;
  onRange: (range: Range | null) => void;
  onMoved: (view: View) => void;
  onFold: (row: Row) => void;
  tipOf: (scene: Scene, pick: Pick) => string[];
}

interface Drag {
  x: number;
  y: number;
  range: boolean;
  moved: boolean;
  scroll: number;
}

export function Surface(props: SurfaceProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const painter = useRef(new Painter());
  const pending = useRef(0);
  const pointer = useRef(-1);
  const drag = useRef<Drag | null>(null);
  const hover = useRef<Pick | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [tip, setTip] = useState<{x: number; y: number; text: string} | null>(null);
  const {say} = useShared();
  const total = props.scene.rows.reduce((sum, row) => sum + row.height, 0);
  const {view} = props.scene;

  const scene = (): Scene => ({
    ...latest.current.scene,
    scroll: scroller.current?.scrollTop ?? 0,
    width: canvas.current?.clientWidth ?? 1,
    height: latest.current.height,
  });
  const paint = (): void => {
    pending.current = 0;
    if (!canvas.current || !overlay.current) return;
    const now = scene();
    now.view.resize(now.width);
    painter.current.draw(canvas.current, now);
    const {selected, linked, range} = latest.current;
    drawOverlay(overlay.current, now, {hover: hover.current, selected, linked, range});
  };
  const draw = (): void => {
    if (!pending.current) pending.current = requestAnimationFrame(paint);
  };
  const moved = (): void => {
    setTip(null);
    draw();
    latest.current.onMoved(view);
  };
  const held = useRef<HeldKeys | null>(null);
  held.current ??= new HeldKeys(
    () => latest.current.scene.view,
    () => (pointer.current >= 0 ? pointer.current : latest.current.scene.view.width / 2),
    moved,
  );

  useEffect(draw);
  useEffect(() => {
    const observer = new ResizeObserver(draw);
    observer.observe(scroller.current!);
    window.addEventListener('tactus-theme', draw);
    const node = canvas.current!;
    const wheel = (event: WheelEvent): void => {
      if (event.shiftKey) return; // the browser scrolls up and down
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) latest.current.scene.view.pan(event.deltaX);
      else latest.current.scene.view.zoom(1.0016 ** event.deltaY, event.offsetX);
      moved();
    };
    node.addEventListener('wheel', wheel, {passive: false});
    const stop = (): void => held.current?.stop();
    window.addEventListener('blur', stop);
    return () => {
      observer.disconnect();
      window.removeEventListener('tactus-theme', draw);
      window.removeEventListener('blur', stop);
      node.removeEventListener('wheel', wheel);
      stop();
      cancelAnimationFrame(pending.current);
      pending.current = 0;
    };
  }, []);

  const select = (pick: Pick | null): void => {
    props.onSelect(pick);
    if (!pick) return;
    const now = scene();
    say(sentence(now, pick, props.tipOf(now, pick)).replaceAll('\n', ', '));
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    canvas.current!.setPointerCapture(event.pointerId);
    drag.current = {
      x: event.offsetX,
      y: event.offsetY,
      range: event.shiftKey || event.offsetY < rulerHeight,
      moved: false,
      scroll: scroller.current!.scrollTop,
    };
  };
  const move = (event: PointerEvent): void => {
    pointer.current = event.offsetX;
    const active = drag.current;
    if (!active) {
      const now = scene();
      hover.current = pickAt(now, event.offsetX, event.offsetY);
      setTip(
        hover.current
          ? {x: event.offsetX, y: event.offsetY, text: sentence(now, hover.current, props.tipOf(now, hover.current))}
          : null,
      );
      draw();
      return;
    }
    if (Math.abs(event.offsetX - active.x) + Math.abs(event.offsetY - active.y) > 3) active.moved = true;
    if (!active.moved) return;
    if (active.range) {
      const times = [view.time(active.x), view.time(event.offsetX)].sort((a, b) => a - b);
      props.onRange({from: times[0], to: times[1]});
      draw();
    } else {
      view.pan(active.x - event.offsetX);
      scroller.current!.scrollTop += active.y - event.offsetY;
      [active.x, active.y] = [event.offsetX, event.offsetY];
      moved();
    }
  };
  const up = (event: PointerEvent): void => {
    const active = drag.current;
    drag.current = null;
    if (active && !active.moved) {
      if (active.range) props.onRange(null);
      else select(pickAt(scene(), event.offsetX, event.offsetY));
    }
  };
  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pressed = event.key.toLowerCase();
    if (held.current!.press(pressed)) return event.preventDefault();
    const {selected} = props;
    if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      const now = scene();
      const next = selected ? step(now, selected, event.key) : (pickAt(now, now.width / 2, rulerHeight + 4) ?? firstPick(now));
      if (next) {
        select(next);
        reveal(now, next, scroller.current!);
        moved();
      }
    } else if (pressed === 'f' && selected) {
      const [from, to] = spanOf(scene(), selected);
      view.show(from - (to - from), to + (to - from));
      moved();
    } else if (pressed === 'm' && selected) {
      const [from, to] = spanOf(scene(), selected);
      props.onRange({from, to});
    } else if (pressed === 'r') {
      view.showAll();
      moved();
    } else if (event.key === 'Escape') {
      props.onSelect(null);
      props.onRange(null);
    }
  };

  return (
    <div class="tl" ref={scroller} style={{height: `${props.height}px`}} onScroll={draw}>
      <div class="tl-gutter" style={{height: `${total + rulerHeight}px`}}>
        {props.scene.rows.map((row) => (
          <div
            class={`tl-label tl-${row.kind}`}
            key={row.key}
            title={row.title}
            style={{top: `${row.y + rulerHeight}px`, height: `${row.height}px`}}
          >
            {row.folds ? (
              <button type="button" aria-expanded={!row.folded} onClick={() => props.onFold(row)}>
                {row.folded ? '▸' : '▾'} {row.label}
              </button>
            ) : (
              row.label
            )}
            {row.note ? <small>{row.note}</small> : null}
          </div>
        ))}
      </div>
      <div class="tl-view">
        <div class="tl-sticky" style={{height: `${props.height}px`}}>
          <canvas
            ref={canvas}
            class="tl-main"
            tabIndex={0}
            role="application"
            aria-roledescription={texts().parts.timeline}
            aria-label={texts().timeline.keysLine}
            onPointerDown={down}
            onPointerMove={move}
            onPointerUp={up}
            onPointerLeave={() => {
              hover.current = null;
              setTip(null);
              draw();
            }}
            onKeyDown={key}
            onKeyUp={(event) => held.current!.release(event.key.toLowerCase())}
            onBlur={() => held.current!.stop()}
          />
          <canvas ref={overlay} class="tl-over" aria-hidden="true" />
          {tip ? <Tip {...tip} width={canvas.current?.clientWidth ?? 0} /> : null}
        </div>
      </div>
    </div>
  );
}

function spanOf(scene: Scene, pick: Pick): [number, number] {
  const shift = scene.shifts[pick.model];
  return [pick.lane.start[pick.index] + shift, pick.lane.end[pick.index] + shift];
}

function firstPick(scene: Scene): Pick | null {
  const row = scene.rows.find((r) => r.lanes > 0);
  const lane = row
    ? row.kind === 'steps'
      ? scene.models[row.model].steps
      : scene.models[row.model].lanes[row.track]?.[0]
    : null;
  return row && lane ? {row, model: row.model, depth: 0, lane, index: 0, together: 1} : null;
}

/** Moves the view so that a slice is on screen. */
export function reveal(scene: Scene, pick: Pick, scroller: HTMLElement | null): void {
  const [from, to] = spanOf(scene, pick);
  const {view} = scene;
  const wide = view.to - view.from;
  if (from < view.from || to > view.to) {
    const room = Math.max(wide, (to - from) * 1.4);
    view.show((from + to - room) / 2, (from + to + room) / 2);
  }
  if (
    scroller &&
    (pick.row.y < scroller.scrollTop || pick.row.y + pick.row.height > scroller.scrollTop + scene.height - rulerHeight)
  ) {
    scroller.scrollTop = Math.max(0, pick.row.y - scene.height / 3);
  }
}
