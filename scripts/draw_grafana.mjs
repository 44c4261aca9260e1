// Draws a Grafana dashboard file as a PNG, without Grafana: the part of scripts/draw-grafana that asks Prometheus and
// starts the browser.
//
//   node draw_grafana.mjs MODULES DASHBOARD.json PROMETHEUS_URL RANGE SCRAPE THEME OUT.png PROFILE
//
// MODULES is a folder with the npm packages, PROFILE one for the browser. RANGE is "" for the range of the file, SCRAPE what the data source has as its
// scrape interval. The page itself is draw_grafana_page.jsx. What it does as Grafana does: the step of a query, the
// variables and the names of series; the comments say where that is from.

import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const [modules, dashboardPath, prometheus, rangeAsked, scrape, theme, out, profile] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const from = createRequire(join(resolve(modules), 'package.json'));
const {rangeUtil, dateMath} = from('@grafana/data');
const packageOf = name => join(resolve(modules), 'node_modules', name);
const WIDTH = 1400;
const CELL = {height: 30, gap: 8, columns: 24}; // of Grafana's grid
const HEAD = 56;

const dashboard = JSON.parse(readFileSync(dashboardPath, 'utf8'));

async function ask(path, fields) {
  const answer = await fetch(`${prometheus}/api/v1/${path}?${new URLSearchParams(fields)}`);
  const text = await answer.json();
  if (text.status !== 'success') throw new Error(`${fields.query ?? path}: ${text.error}`);
  return text.data;
}

// The variables of the dashboard: {name: {text, value}}. Only what a file needs that is about one Prometheus.
async function readVariables(start, end) {
  const found = {};
  for (const variable of dashboard.templating?.list ?? []) {
    const query = typeof variable.query === 'string' ? variable.query : variable.query?.query ?? '';
    if (variable.type === 'datasource') {
      found[variable.name] = {label: variable.label ?? variable.name, text: 'Prometheus', value: 'prometheus'};
      continue;
    }
    const labels = query.match(/^label_values\((?:(.+),\s*)?(\w+)\)$/);
    if (variable.type !== 'query' || !labels) throw new Error(`variable ${variable.name}: ${query} is not known here`);
    const replaced = labels[1] && replace(labels[1], found);
    const values = await ask(`label/${labels[2]}/values`, {...(replaced && {'match[]': replaced}), start, end});
    const isAll = variable.current?.value === '$__all' || String(variable.current?.value) === '$__all';
    const chosen = isAll ? values : [variable.current?.value].flat();
    found[variable.name] = {
      label: variable.label ?? variable.name,
      text: isAll ? 'All' : chosen.join(' + '),
      value: isAll && variable.allValue ? variable.allValue : chosen.length > 1 ? `(${chosen.join('|')})` : chosen[0] ?? '',
    };
  }
  return found;
}

function replace(text, variables) {
  return text.replace(/\$\{(\w+)(?::\w+)?\}|\$(\w+)/g, (all, braced, bare) => variables[braced ?? bare]?.value ?? all);
}

// As Grafana's own Prometheus source does it: a label that is not there leaves nothing.
function legendOf(target, labels) {
  const format = target.legendFormat ?? '';
  if (format && format !== '__auto') return format.replace(/\{\{\s*(.+?)\s*\}\}/g, (all, name) => labels[name] ?? '').trim();
  const {__name__: name = '', ...rest} = labels;
  return `${name}{${Object.entries(rest).map(([key, value]) => `${key}="${value}"`).join(', ')}}`;
}

// The step is the range by the pixels, rounded, and not below the scrape interval (intervalv2 of Grafana).
async function askRange(target, range, points, variables) {
  const least = target.interval ? replace(target.interval, variables) : scrape;
  const {intervalMs} = rangeUtil.calculateInterval(range, points, least);
  const step = intervalMs / 1000;
  const scraped = rangeUtil.intervalToSeconds(scrape);
  const query = replace(target.expr, {
    ...variables,
    __interval: {value: `${step}s`},
    __rate_interval: {value: `${Math.max(step + scraped, 4 * scraped)}s`},
    __range: {value: `${Math.round((range.to - range.from) / 1000)}s`},
  });
  const start = Math.floor(range.from.valueOf() / 1000 / step) * step;
  const end = Math.floor(range.to.valueOf() / 1000 / step) * step;
  const {result} = await ask('query_range', {query, start, end, step});
  return result.map(({metric, values}) => ({
    refId: target.refId,
    name: legendOf(target, metric),
    labels: metric,
    step: intervalMs,
    times: values.map(([time]) => time * 1000),
    values: values.map(([, value]) => Number(value)),
  }));
}

async function readData() {
  const raw = rangeAsked ? {from: `now-${rangeAsked}`, to: 'now'} : dashboard.time;
  const range = {from: dateMath.toDateTime(raw.from, {}), to: dateMath.toDateTime(raw.to, {}), raw};
  const [start, end] = [range.from.valueOf() / 1000, range.to.valueOf() / 1000];
  const variables = await readVariables(start, end);
  const series = {};
  for (const panel of dashboard.panels) {
    const points = Math.round((WIDTH * panel.gridPos.w) / CELL.columns);
    series[panel.id] = [];
    for (const target of (panel.targets ?? []).filter(target => !target.hide)) {
      const found = await askRange(target, range, points, variables);
      if (!found.length) console.error(`no series: panel "${panel.title}": ${target.expr}`);
      series[panel.id].push(...found);
    }
  }
  const annotations = [];
  for (const annotation of (dashboard.annotations?.list ?? []).filter(one => one.enable && one.target?.expr)) {
    for (const one of await askRange(annotation.target, range, WIDTH, variables)) {
      // As PrometheusAnnotationSupport of @grafana/prometheus: samples above 0 without a gap are one region.
      let region;
      one.values.forEach((value, i) => {
        if (!(value > 0)) return;
        if (region && region.end + one.step >= one.times[i]) region.end = one.times[i];
        else annotations.push((region = {begin: one.times[i], end: one.times[i], color: annotation.iconColor}));
      });
    }
  }
  const drawn = {from: range.from.valueOf(), to: range.to.valueOf(), raw};
  return {dashboard, series, annotations, variables, range: drawn, theme, cell: CELL, head: HEAD, width: WIDTH};
}

async function draw(data) {
  const built = await from('esbuild').build({
    entryPoints: {page: join(here, 'draw_grafana_page.jsx')},
    bundle: true,
    write: false,
    outdir: modules,
    jsx: 'automatic',
    nodePaths: [join(resolve(modules), 'node_modules')],
    loader: {'.woff2': 'dataurl', '.woff': 'empty', '.ttf': 'empty'},
    define: {'process.env.NODE_ENV': '"production"', global: 'window'},
    logLevel: 'error',
  });
  const file = end => built.outputFiles.find(one => one.path.endsWith(end)).contents;
  const rows = Math.max(...dashboard.panels.map(panel => panel.gridPos.y + panel.gridPos.h));
  const height = HEAD + rows * (CELL.height + CELL.gap) + CELL.gap;
  const files = {
    '/': ['text/html', '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/page.css"><div id="root"></div>' +
      '<script src="/page.js"></script>'],
    '/page.js': ['text/javascript', file('page.js')],
    '/page.css': ['text/css', file('page.css')],
    '/data.json': ['application/json', JSON.stringify(data)],
  };
  let problems = 0;
  const server = createServer((request, response) => {
    const {pathname} = new URL(request.url, 'http://x');
    if (pathname === '/problem') {
      request.on('data', text => console.error(`the page: ${text}`));
      ++problems;
      return response.end();
    }
    const icon = pathname.match(/^\/public\/build\/img\/icons\/([\w/-]+\.svg)$/);
    const iconPath = icon && join(packageOf('@grafana/ui'), 'dist/public/img/icons', icon[1]);
    const [type, content] = files[pathname] ?? (icon && existsSync(iconPath) ? ['image/svg+xml', readFileSync(iconPath)] : []);
    response.writeHead(content ? 200 : 404, {'content-type': type ?? 'text/plain'});
    response.end(content);
  });
  await new Promise(ready => server.listen(0, '127.0.0.1', ready));
  const browser = spawn(process.env.CHROMIUM ?? 'chromium', [
    '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run',
    `--user-data-dir=${resolve(profile)}`,
    `--window-size=${WIDTH},${height}`, '--virtual-time-budget=20000', `--screenshot=${resolve(out)}`,
    `http://127.0.0.1:${server.address().port}/`,
  ], {stdio: ['ignore', 'ignore', process.env.VERBOSE ? 'inherit' : 'ignore'], timeout: 120000});
  const code = await new Promise(done => browser.on('exit', done));
  server.close();
  if (code !== 0 || problems) throw new Error(`the page could not be drawn (browser: ${code}, problems: ${problems})`);
}

await draw(await readData());
const version = name => JSON.parse(readFileSync(join(packageOf(name), 'package.json'), 'utf8')).version;
console.log(`${out}: ${dashboard.title}, drawn with @grafana/ui ${version('@grafana/ui')} and @grafana/data ${version('@grafana/data')}`);
process.exit(0);
