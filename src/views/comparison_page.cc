#include "views/comparison_page.h"

namespace tactus {

const std::string_view kComparisonStyle = R"css(
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --quiet: #5b6570; --line: #d9dee3;
  --box: #f4f6f8; --normal: #2563b0; --abnormal: #c2570c; --good: #1f7a4d; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --text: #e4e7ea; --quiet: #98a2ad;
  --line: #32383e; --box: #1d2226; --normal: #6ea8ec; --abnormal: #f0944d; --good: #58b889;
  --bad: #f0776c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem; max-width: 72rem; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; }
.quiet { color: var(--quiet); font-size: .9em; }
.verdict { background: var(--box); border-left: 5px solid var(--quiet); border-radius: 4px;
  padding: 1rem 1.25rem; }
.verdict.bad { border-color: var(--bad); }
.verdict.good { border-color: var(--good); }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: .8rem 0 0; }
.facts div { min-width: 6rem; }
.facts dt { color: var(--quiet); font-size: .8rem; }
.facts dd { margin: 0; font-weight: 600; font-size: 1.05rem; overflow-wrap: anywhere; }
.waterfall { display: grid; gap: 3px; margin: .5rem 0 1.25rem; }
.bar { display: grid; grid-template-columns: minmax(7rem, 16rem) 1fr 6.5rem; gap: .75rem;
  align-items: center; }
.bar .num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar svg { width: 100%; height: 1.25rem; background: var(--box); }
.bar rect { fill: var(--quiet); }
.bar.more rect { fill: var(--bad); }
.bar.less rect { fill: var(--good); }
.chart { display: grid; grid-template-columns: 5rem 1fr; grid-template-rows: 100%; height: 16rem;
  margin: .9rem 0; }
.chart svg { width: 100%; height: 100%; overflow: visible; }
.chart path { fill: none; vector-effect: non-scaling-stroke; }
.axis { position: relative; }
.axis span { position: absolute; right: .6rem; transform: translateY(-50%); white-space: nowrap;
  color: var(--quiet); font-size: .8rem; }
.grid { stroke: var(--line); stroke-width: 1; }
.median { stroke-width: 1.5; stroke-dasharray: 5 4; }
.dots { stroke-width: 6; stroke-linecap: round; opacity: .75; }
path.normal { stroke: var(--normal); }
path.abnormal { stroke: var(--abnormal); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 1rem 0 .5rem; }
.key::before { content: ""; display: inline-block; width: .7rem; height: .7rem;
  border-radius: 50%; margin-right: .4rem; background: var(--normal); }
.key.abnormal::before { background: var(--abnormal); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { padding: .3rem .6rem; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { white-space: nowrap; }
td.num, th.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.name { overflow-wrap: anywhere; min-width: 12rem; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--normal); }
th[aria-sort=ascending] button::after { content: " \25B2"; }
th[aria-sort=descending] button::after { content: " \25BC"; }
.cause { color: var(--bad); font-weight: 600; }
ul { padding-left: 1.2rem; margin: .4rem 0; overflow-wrap: anywhere; }
pre { background: var(--box); padding: .6rem .8rem; border-radius: 4px; overflow-x: auto;
  margin: .4rem 0 1rem; }
input { font: inherit; width: 100%; max-width: 24rem; padding: .3rem .5rem; margin: .4rem 0;
  color: inherit; background: var(--box); border: 1px solid var(--line); border-radius: 4px; }
@media (max-width: 40rem) {
  body { padding: .9rem; }
  .bar { grid-template-columns: 1fr 6.5rem; gap: 0 .5rem; }
  .bar svg { grid-row: 2; grid-column: 1 / 3; height: .9rem; margin-bottom: .35rem; }
  .chart { grid-template-columns: 4.2rem 1fr; height: 12rem; }
}
@media print {
  :root { --back: #fff; --text: #000; --quiet: #444; --line: #bbb; --box: #f2f2f2; }
  body { max-width: none; padding: 0; font-size: 11px; }
  .wide { overflow: visible; }
  input { display: none; }
  .verdict, .bar, .chart, tr { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

const std::string_view kComparisonScript = R"js(
"use strict";
function compareCells(a, b) {
  const x = a.dataset.v, y = b.dataset.v;
  if (x === undefined || y === undefined) return a.textContent.localeCompare(b.textContent);
  if (x === "" || y === "") return (x === "") - (y === "");
  return Number(x) - Number(y);
}
function sortBy(table, column) {
  const heads = table.tHead.rows[0].cells;
  const down = heads[column].getAttribute("aria-sort") !== "descending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = Array.from(table.tBodies[0].rows);
  rows.sort((a, b) => compareCells(a.cells[column], b.cells[column]) * (down ? -1 : 1));
  table.tBodies[0].append(...rows);
}
function makeSortable(table) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.addEventListener("click", () => sortBy(table, column));
    head.replaceChildren(button);
  });
}
function visible(text) {
  return String(text).replace(/[\u0000-\u001f\u007f]/g,
    c => "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0"));
}
function numberText(value) {
  if (value === null) return "unknown";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e10 || size < 0.001) return value.toExponential(2);
  return value.toLocaleString("en-GB", {maximumFractionDigits: size >= 1000 ? 0 : 3});
}
function classicRow(row) {
  const tr = document.createElement("tr");
  const add = (text, value, look) => {
    const td = tr.insertCell();
    td.textContent = text;
    if (look) td.className = look;
    if (value !== undefined) td.dataset.v = value === null ? "" : value;
  };
  add(visible(row.function), undefined, "name");
  add(visible(row.metric));
  add(visible(row.device));
  for (const value of [row.suspicion, ...row.beta, row.beta_u_p, ...row.mu, row.log_mu_z,
                       row.mu_u_p]) {
    add(numberText(value), value, "num");
  }
  return tr;
}
function fillClassic(comparison) {
  const table = document.getElementById("classic");
  if (!table) return;
  table.tBodies[0].replaceChildren(...comparison.rows.map(classicRow));
  document.getElementById("filter").addEventListener("input", event => {
    const wanted = event.target.value.toLowerCase();
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    }
  });
}
fillClassic(JSON.parse(document.getElementById("comparison").textContent));
document.querySelectorAll("table").forEach(makeSortable);
)js";

}  // namespace tactus
