// The lines beside the pointer: op, Python line, shapes and bound of a slice, as far as they are known.

import type {KernelsRows} from '../generated/documents';
import {dims, share} from '../format';
import {texts} from '../texts';
import type {Scene} from './paint';
import {around, type Pick} from './pick';

/** Slices around the launch of a kernel, or around the slice itself, innermost first. */
export function outerNames(scene: Scene, pick: Pick): string[] {
  const model = scene.models[pick.model];
  const launcher = model.launcherOf(pick.lane.row[pick.index]);
  const place = launcher >= 0 ? model.placeOf(launcher) : null;
  if (place) return around(model, place.track, place.depth, model.lanes[place.track][place.depth].start[place.index]);
  return around(model, pick.row.track, pick.depth, pick.lane.start[pick.index]);
}

const isPython = (name: string): boolean => /\.py[(:]\d*/.test(name);

export function tipLines(scene: Scene, pick: Pick, kernel: KernelsRows | undefined): string[] {
  const t = texts().timeline;
  if (pick.row.kind !== 'track') return [];
  const names = outerNames(scene, pick);
  const op = kernel?.op && names.length === 0 ? kernel.op : names.find((name) => !isPython(name));
  const python = names.find(isPython);
  const lines: string[] = [];
  if (op) lines.push(`${t.op}: ${cut(op)}`);
  if (python) lines.push(`${t.python}: ${cut(python)}`);
  const shape = dims(kernel?.input_dims);
  if (shape) lines.push(`${(kernel?.shape_count ?? 1) > 1 ? t.shapeMost : t.shape}: ${cut(shape)}`);
  if (kernel?.bound) lines.push(`S ${share(kernel.bound.s)} (${kernel.bound.limited_by})`);
  return lines;
}

const cut = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);
