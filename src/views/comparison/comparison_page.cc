#include "views/comparison/comparison_page.h"

namespace tactus {

const std::string_view kComparisonStyle = R"css(
.verdict { background: var(--box); border-left: 5px solid var(--quiet); border-radius: 4px;
  padding: 1rem 1.25rem; }
.verdict.bad { border-color: var(--bad); }
.verdict.good { border-color: var(--good); }
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
.cause { color: var(--bad); font-weight: 600; }
@media (max-width: 40rem) {
  .bar { grid-template-columns: 1fr 6.5rem; gap: 0 .5rem; }
  .bar svg { grid-row: 2; grid-column: 1 / 3; height: .9rem; margin-bottom: .35rem; }
  .chart { grid-template-columns: 4.2rem 1fr; height: 12rem; }
}
@media print { .verdict, .bar, .chart { break-inside: avoid; } }
)css";

const std::string_view kComparisonScript = R"js(
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
