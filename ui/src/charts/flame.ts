// A flame graph, drawn from the top: a box per stack, as wide as its share.

import type {Flame} from '../generated/documents';
import {count, fitted, share, time} from '../format';
import {texts} from '../texts';
import {hostColour} from '../theme';
import type {Build, Scene} from './chart';

export type Measure = 'device_ns' | 'launches';

export interface FlameIndex {
  nodes: Flame['nodes'];
  children: number[][];
  depth: number[];
  roots: number[];
  /** Names from the outermost on, for comparing with another run. */
  paths: string[];
}

export function indexFlame(flame: Flame): FlameIndex {
  const {nodes} = flame;
  const children: number[][] = nodes.map(() => []);
  const depth: number[] = [],
    paths: string[] = [],
    roots: number[] = [];
  nodes.forEach((node, i) => {
    const hasParent = node.parent >= 0 && node.parent < i;
    if (hasParent) children[node.parent].push(i);
    else roots.push(i);
    depth.push(hasParent ? depth[node.parent] + 1 : 0);
    paths.push(hasParent ? `${paths[node.parent]}\n${node.name}` : node.name);
  });
  const byTime = (a: number, b: number): number => nodes[b].device_ns - nodes[a].device_ns;
  for (const list of children) list.sort(byTime);
  roots.sort(byTime);
  return {nodes, children, depth, roots, paths};
}

const rowHeight = 20;
const letter = 7;

export function flameHeight(index: FlameIndex, root: number): number {
  const base = root < 0 ? 0 : index.depth[root];
  let deepest = 0;
  const visit = (list: number[]): void => {
    for (const node of list) {
      deepest = Math.max(deepest, index.depth[node] - base);
      visit(index.children[node]);
    }
  };
  visit(root < 0 ? index.roots : [root]);
  return Math.min(900, (deepest + 1) * rowHeight + 4);
}

/** From blue (less than before) over grey to orange (more); change is the logarithm of the ratio of shares. */
function differenceColour(change: number): string {
  const strength = Math.min(1, Math.abs(change) / Math.log(2));
  const [r, g, b] = change > 0 ? [217, 115, 26] : [45, 110, 180];
  const mix = (value: number): number => Math.round(176 + (value - 176) * strength);
  return `rgb(${mix(r)}, ${mix(g)}, ${mix(b)})`;
}

export interface FlameOptions {
  root: number;
  measure: Measure;
  query: string;
  /** Value of each path in the other run, and its total. */
  other: {values: Map<string, number>; total: number} | null;
  onOpen: (node: number) => void;
}

export function flameScene(index: FlameIndex, options: FlameOptions): Build {
  return (width, height, c) => {
    const t = texts().flame;
    const scene: Scene = {marks: [], lines: [], notes: []};
    const value = (i: number): number => index.nodes[i][options.measure];
    const total = index.roots.reduce((sum, i) => sum + value(i), 0) || 1;
    const tops = options.root < 0 ? index.roots : [options.root];
    const shown = tops.reduce((sum, i) => sum + value(i), 0) || 1;
    const query = options.query.toLowerCase();
    const visit = (i: number, left: number, row: number): void => {
      const w = (value(i) / shown) * width;
      if (w < 0.7 || (row + 1) * rowHeight > height) return;
      const node = index.nodes[i];
      const before = options.other ? (options.other.values.get(index.paths[i]) ?? 0) / Math.max(1, options.other.total) : 0;
      const now = value(i) / total;
      const change = options.other ? (before > 0 ? Math.log(now / before) : Math.log(4)) : 0;
      const hit = query === '' || node.name.toLowerCase().includes(query);
      const lines = [node.name, `${time(node.device_ns)} · ${share(now)} · ${count(node.launches)} ${t.launches}`];
      if (options.other) lines.push(before > 0 ? `${t.other}: ${share(before)}` : t.onlyHere);
      scene.marks.push({
        x: left,
        y: row * rowHeight,
        w: Math.max(0.7, w - 1),
        h: rowHeight - 1,
        colour: !hit ? c.line : options.other ? differenceColour(change) : hostColour(node.name),
        label: lines.join('\n'),
        open: () => options.onOpen(i),
      });
      const letters = Math.floor((w - 8) / letter);
      if (letters > 2)
        scene.notes!.push({
          x: left + 4,
          y: row * rowHeight + 14,
          colour: hit ? '#14181d' : c.muted,
          text: fitted(node.name, letters),
        });
      let at = left;
      for (const child of index.children[i]) {
        visit(child, at, row + 1);
        at += (value(child) / shown) * width;
      }
    };
    let at = 0;
    for (const top of tops) {
      visit(top, at, 0);
      at += (value(top) / shown) * width;
    }
    return scene;
  };
}
