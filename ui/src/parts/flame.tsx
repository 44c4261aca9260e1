// Launches by stack. With two runs, colours show what has a larger or smaller share than in the other run.

import {useMemo, useState} from 'preact/hooks';
import {Chart} from '../charts/chart';
import {flameHeight, flameScene, indexFlame, type Measure} from '../charts/flame';
import type {Flame as FlameDocument} from '../generated/documents';
import {setValues, useRoute} from '../route';
import {texts} from '../texts';
import {useLoaded, useRunDocument, useShared} from '../widgets/context';
import {Choice, Panel, Waiting} from '../widgets/small';

export function Flame() {
  const t = texts().flame;
  const {documents, runs, run} = useShared();
  const route = useRoute();
  const [root, setRoot] = useState(-1);
  const measure: Measure = route.values.measure === 'launches' ? 'launches' : 'device_ns';
  const query = route.values.q ?? '';
  const loaded = useRunDocument<FlameDocument>('flame');
  const otherRun = runs.find((r) => r.index !== run && r.kind === 'trace' && documents.has(`run/${r.index}/flame`));
  const difference =
    otherRun !== undefined &&
    route.values.difference !== '0' &&
    (documents.head.mode === 'report' || route.values.difference === '1');
  const other = useLoaded<FlameDocument>(
    () => (difference ? documents.json(`run/${otherRun.index}/flame`) : null),
    [difference, otherRun?.index],
  );
  const index = useMemo(() => (loaded.value ? indexFlame(loaded.value) : null), [loaded.value]);
  const against = useMemo(() => {
    if (!other.value) return null;
    const o = indexFlame(other.value);
    return {
      values: new Map(o.paths.map((path, i) => [path, o.nodes[i][measure]])),
      total: o.roots.reduce((sum, i) => sum + o.nodes[i][measure], 0),
    };
  }, [other.value, measure]);
  if (!index || !loaded.value) return <Waiting of={loaded} />;
  if (index.nodes.length === 0)
    return (
      <Panel title={t.title}>
        <p>{t.none}</p>
      </Panel>
    );
  const shownRoot = root < index.nodes.length ? root : -1;
  return (
    <Panel title={t.title} note={t.kinds[loaded.value.kind as keyof typeof t.kinds] ?? loaded.value.kind}>
      <div class="tools">
        <input
          type="search"
          class="search"
          data-search
          placeholder={t.search}
          aria-label={t.search}
          value={query}
          onInput={(event) => setValues({q: event.currentTarget.value})}
        />
        <Choice
          label={t.measure}
          value={measure}
          options={[
            ['device_ns', t.time],
            ['launches', t.launches],
          ]}
          onChange={(value) => setValues({measure: value})}
        />
        {otherRun ? (
          <label>
            <input
              type="checkbox"
              checked={difference}
              onChange={(event) => setValues({difference: event.currentTarget.checked ? '1' : '0'})}
            />{' '}
            {t.difference(otherRun.name)}
          </label>
        ) : null}
        <span class="grow" />
        {shownRoot >= 0 ? (
          <button type="button" onClick={() => setRoot(index.nodes[shownRoot].parent)}>
            {t.up}
          </button>
        ) : null}
        {shownRoot >= 0 ? (
          <button type="button" onClick={() => setRoot(-1)}>
            {t.all}
          </button>
        ) : null}
      </div>
      {difference ? (
        <p class="muted">
          <span class="swatch diff-more" />
          {t.more} <span class="swatch diff-less" />
          {t.less}
        </p>
      ) : null}
      <Chart
        label={t.title}
        height={flameHeight(index, shownRoot)}
        keys={[index, shownRoot, measure, query, against]}
        build={flameScene(index, {
          root: shownRoot,
          measure,
          query,
          other: against,
          onOpen: (node) => setRoot(node === shownRoot ? index.nodes[node].parent : node),
        })}
      />
      {loaded.value.warnings?.map((warning) => (
        <p class="muted">{warning}</p>
      ))}
    </Panel>
  );
}
