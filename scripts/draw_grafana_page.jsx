// The page that scripts/draw-grafana photographs: a dashboard file, drawn with the components that Grafana publishes.
// Panels, charts, values, legends, units, thresholds and colours are those of @grafana/ui and @grafana/data. Their places,
// the line at the top and the marks of annotations are drawn here, as Grafana draws them. So are what Grafana's plugins
// `stat` and `timeseries` do around the components, and their defaults: npm does not have the plugins.

import {applyFieldOverrides, createTheme, dateTimeFormat, FieldConfigOptionsRegistry, FieldType, getDisplayValueAlignmentFactors,
  getFieldDisplayValues, LoadingState, ThemeContext, toDataFrame} from '@grafana/data';
import {BigValue, GlobalStyles, PanelChrome, Text, TimeSeries, ToolbarButton, VizRepeater} from '@grafana/ui';
import '@fontsource/inter/400.css';
import '@fontsource/inter/500.css';
import {cloneDeep, defaultsDeep} from 'lodash';
import {useEffect} from 'react';
import {createRoot} from 'react-dom/client';

const problem = text => fetch('/problem', {method: 'POST', body: String(text)});
window.addEventListener('error', event => problem(event.error?.stack ?? event.message));
window.addEventListener('unhandledrejection', event => problem(event.reason?.stack ?? event.reason));

const timeZone = 'utc';

// What a field has when the file says nothing.
const THRESHOLDS = {mode: 'absolute', steps: [{value: -Infinity, color: 'green'}, {value: 80, color: 'red'}]};
const DEFAULTS = {
  stat: {
    field: {color: {mode: 'thresholds'}},
    options: {textMode: 'auto', colorMode: 'value', graphMode: 'area', justifyMode: 'auto', orientation: 'auto', wideLayout: true,
      reduceOptions: {values: false, fields: ''}},
  },
  timeseries: {
    field: {color: {mode: 'palette-classic'}, custom: {drawStyle: 'line', lineInterpolation: 'linear', lineWidth: 1, fillOpacity: 0, gradientMode: 'none',
      spanNulls: false, insertNulls: false, showPoints: 'auto', pointSize: 5, stacking: {mode: 'none', group: 'A'}, axisPlacement: 'auto',
      axisColorMode: 'text', axisBorderShow: false, axisCenteredZero: false, scaleDistribution: {type: 'linear'},
      thresholdsStyle: {mode: 'off'}, hideFrom: {legend: false, tooltip: false, viz: false}}},
    options: {legend: {showLegend: true, displayMode: 'list', placement: 'bottom', calcs: []}, tooltip: {mode: 'single', sort: 'none'}},
  },
};

function fieldConfigOf(panel) {
  const config = cloneDeep(panel.fieldConfig ?? {defaults: {}, overrides: []});
  // An array of the file stands as it is.
  const thresholds = config.defaults.thresholds ?? THRESHOLDS;
  thresholds.steps[0].value = -Infinity;
  config.defaults = defaultsDeep(config.defaults, cloneDeep(DEFAULTS[panel.type].field), {thresholds});
  return config;
}

// Options of fields are known by their names: those of all fields, and those of this kind of panel.
function registryOf(config) {
  const plain = {process: value => value, override: value => value, shouldApply: () => true, name: '', description: '', editor: () => null};
  const standard = ['unit', 'min', 'max', 'decimals', 'displayName', 'color', 'noValue', 'links', 'mappings', 'thresholds', 'filterable'];
  const custom = new Set(Object.keys(config.defaults.custom ?? {}));
  for (const rule of config.overrides ?? []) {
    for (const {id} of rule.properties) if (id.startsWith('custom.')) custom.add(id.slice(7));
  }
  const registry = new FieldConfigOptionsRegistry();
  registry.setInit(() => [
    ...standard.map(id => ({...plain, id, path: id})),
    ...[...custom].map(id => ({...plain, id: `custom.${id}`, path: id, isCustom: true})),
  ]);
  return registry;
}

function framesOf(panel, series, config, theme) {
  const frames = series.map(one => toDataFrame({
    refId: one.refId,
    fields: [
      {name: 'Time', type: FieldType.time, values: one.times, config: {interval: one.step}},
      {name: 'Value', type: FieldType.number, values: one.values, labels: one.labels, config: {displayNameFromDS: one.name}},
    ],
  }));
  return applyFieldOverrides({data: frames, fieldConfig: config, fieldConfigRegistry: registryOf(config), replaceVariables: text => text, theme, timeZone});
}

function Stat({frames, options, config, title, width, height, theme}) {
  const values = () => getFieldDisplayValues({fieldConfig: config, reduceOptions: options.reduceOptions, replaceVariables: text => text, theme,
    data: frames, sparkline: options.graphMode !== 'none', timeZone});
  // A name that was set is shown, also if it is the only one.
  const textMode = options.textMode === 'auto' && (config.defaults.displayName || !title) ? 'value_and_name' : options.textMode;
  return <VizRepeater getValues={values} getAlignmentFactors={getDisplayValueAlignmentFactors}
    source={frames} width={width} height={height} renderCounter={0} orientation={options.orientation} autoGrid itemSpacing={3}
    renderValue={({value, width, height, alignmentFactors, orientation, count}) =>
      <BigValue value={value.display} count={count} sparkline={value.sparkline} colorMode={options.colorMode} graphMode={options.graphMode}
        justifyMode={options.justifyMode} textMode={textMode} alignmentFactors={alignmentFactors} parentOrientation={orientation}
        width={width} height={height} theme={theme} wideLayout={options.wideLayout} />} />;
}

// Regions of annotations: a shade, dashed lines at both ends, and a bar below.
function markAnnotations(chart, annotations, theme) {
  const {ctx, bbox} = chart;
  ctx.save();
  for (const {begin, end, color} of annotations) {
    const [left, right] = [begin, end].map(time => chart.valToPos(time, 'x', true));
    ctx.fillStyle = ctx.strokeStyle = theme.visualization.getColorByName(color);
    ctx.globalAlpha = 0.1;
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.globalAlpha = 1;
    ctx.setLineDash([5, 5]);
    ctx.beginPath();
    for (const at of [left, right]) {
      ctx.moveTo(at, bbox.top);
      ctx.lineTo(at, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.fillRect(left, bbox.top + bbox.height, Math.max(2, right - left), 5);
  }
  ctx.restore();
}

function Series({frames, options, width, height, range, annotations, theme}) {
  const timeRange = {...range, from: dateTimeOf(range.from), to: dateTimeOf(range.to)};
  return <TimeSeries frames={frames} structureRev={1} timeRange={timeRange} timeZone={timeZone} width={width} height={height}
    legend={options.legend} options={options}>
    {config => {
      config.addHook('draw', chart => markAnnotations(chart, annotations, theme));
      return null;
    }}
  </TimeSeries>;
}
const dateTimeOf = time => ({valueOf: () => time});

function Panel({panel, data, theme, width, height}) {
  const kinds = {stat: Stat, timeseries: Series};
  const Content = kinds[panel.type];
  if (panel.type === 'row') return <Text element="h2" variant="h5">{panel.title}</Text>;
  let content = () => <Text>Panels of type {panel.type} are not drawn here.</Text>;
  if (Content) {
    const config = fieldConfigOf(panel);
    const options = defaultsDeep(cloneDeep(panel.options ?? {}), cloneDeep(DEFAULTS[panel.type].options));
    const frames = framesOf(panel, data.series[panel.id], config, theme);
    content = (width, height) => frames.length
      ? <Content {...{frames, options, config, width, height, theme, title: panel.title, range: data.range, annotations: data.annotations}} />
      : <Text>No data</Text>;
  } else {
    problem(`panel "${panel.title}": panels of type ${panel.type} are not drawn here`);
  }
  return <PanelChrome title={panel.title} description={panel.description} width={width} height={height} padding="md" loadingState={LoadingState.Done}
    displayMode={panel.transparent ? 'transparent' : 'default'}>{content}</PanelChrome>;
}

function Dashboard({data, theme}) {
  const {cell, head, width: all} = data;
  const column = (all - 2 * cell.gap - (cell.columns - 1) * cell.gap) / cell.columns;
  const length = (count, one) => count * one + (count - 1) * cell.gap;
  const time = at => dateTimeFormat(at, {timeZone, format: 'YYYY-MM-DD HH:mm:ss'});
  useEffect(() => document.body.style.setProperty('background', theme.colors.background.canvas));
  return <>
    <div style={{display: 'flex', alignItems: 'center', gap: 8, height: head, width: all, boxSizing: 'border-box', padding: `0 ${cell.gap}px`}}>
      <div style={{marginRight: 16}}><Text element="h1" variant="h3">{data.dashboard.title}</Text></div>
      {Object.values(data.variables).map(one => <span key={one.label} style={{display: 'flex', alignItems: 'center', gap: 8}}>
        <Text color="secondary" variant="bodySmall">{one.label}</Text><ToolbarButton isOpen={false} variant="canvas">{one.text}</ToolbarButton></span>)}
      <span style={{flex: 1}} />
      <span style={{marginRight: cell.gap}}>
        <ToolbarButton icon="clock-nine" variant="canvas">{time(data.range.from)} to {time(data.range.to)} UTC</ToolbarButton>
      </span>
    </div>
    {data.dashboard.panels.map(panel => {
      const {x, y, w, h} = panel.gridPos;
      const [width, height] = [length(w, column), length(h, cell.height)];
      const place = {left: cell.gap + x * (column + cell.gap), top: head + y * (cell.height + cell.gap)};
      return <div key={panel.id} style={{position: 'absolute', width, height, ...place}}>
        <Panel {...{panel, data, theme, width, height}} />
      </div>;
    })}
  </>;
}

fetch('/data.json').then(answer => answer.json()).then(data => {
  const theme = createTheme({colors: {mode: data.theme}});
  createRoot(document.getElementById('root'), {onUncaughtError: error => problem(error.stack)}).render(
    <ThemeContext.Provider value={theme}><GlobalStyles /><Dashboard data={data} theme={theme} /></ThemeContext.Provider>);
});
