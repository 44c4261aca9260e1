#include "views/roofline/roofline_page.h"

namespace tactus {

const std::string_view kRooflineStyle = R"css(
.controls { position: sticky; top: 0; z-index: 1; background: var(--back); padding: .6rem 0;
  display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: end; margin-top: 1rem;
  border-bottom: 1px solid var(--line); }
.choice { border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 2px; min-width: 0; }
.choice legend, .pick { color: var(--quiet); font-size: .8rem; padding: 0; }
.choice input { position: absolute; opacity: 0; width: 1px; }
.choice span { display: block; padding: .2rem .6rem; background: var(--box); cursor: pointer;
  border: 1px solid var(--line); border-radius: 4px; font-size: .9rem; }
.choice input:checked + span { background: var(--normal); border-color: var(--normal);
  color: var(--back); font-weight: 600; }
.choice input:focus-visible + span { outline: 2px solid var(--text); outline-offset: 1px; }
.picks { display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: end; }
.pick select { display: block; }
.picks input { width: 11rem; margin: 0; padding: .2rem .5rem; }
select, #expand { font: inherit; font-size: .9rem; color: inherit; background: var(--box);
  border: 1px solid var(--line); border-radius: 4px; padding: .2rem .5rem; }
#expand { cursor: pointer; }
body { max-width: 80rem; }
.plot { display: block; width: 100%; max-width: 70rem; min-width: 44rem; }
td.chosen, th.chosen { background: var(--box); font-weight: 600; }
#shape-table .fold { all: unset; cursor: pointer; font-weight: 600; white-space: nowrap; }
#shape-table .fold:focus-visible { outline: 2px solid var(--normal); }
#shape-table .fold::before { content: "\25B8"; display: inline-block; width: 1rem;
  color: var(--quiet); }
#shape-table .fold[aria-expanded=true]::before { content: "\25BE"; }
#shape-table tr.shape td:first-child { padding-left: 1.9rem; min-width: 16rem;
  overflow-wrap: anywhere; }
#shape-table tr.shape td { font-size: .88rem; }
td.s { --hue: var(--quiet); min-width: 7rem; background: linear-gradient(to right,
  color-mix(in srgb, var(--hue) 32%, transparent) var(--part, 0%), transparent var(--part, 0%)); }
td.s.near { --hue: var(--good); }
td.s.middle { --hue: #c78a00; }
td.s.far { --hue: var(--bad); }
td.s.over { --hue: var(--normal); font-weight: 600; }
td.unknown { color: var(--quiet); }
.formulas td:first-child { white-space: nowrap; }
.formulas td { font-size: .88rem; min-width: 9rem; }
@media (max-width: 40rem) { .controls { position: static; } }
@media print { .controls { display: none; } .plot { min-width: 0; } }
)css";

const std::string_view kRooflineScript = R"js(
const data = JSON.parse(document.getElementById("data").textContent);
const limits = ["compute", "memory", "launch"];
const pick = id => document.getElementById(id);
const state = {machine: 0, model: 0, framework: "", tp: "", phase: "", search: "",
               open: new Set(), all: false};

// Rounded as the published page rounds.
const timeText = (us, a, b) => us >= 1000 ? (us / 1000).toFixed(b) + " ms" : us.toFixed(a) + " us";
const round = (x, n) => Number(x.toFixed(n));
const solText = ns => ns === null ? "unknown" : timeText(round(ns / 1000, 2), 2, 2);
const prodText = ns => ns === null ? "unknown" : timeText(round(ns / 1000, 1), 0, 1);
const percent = s => s === null ? "unknown" : (100 * s).toFixed(1) + "%";
function intensityText(ai) {
  const x = round(ai, 1);
  return x >= 1000 ? (x / 1000).toFixed(1) + "k" : x.toFixed(1);
}
function rateText(x, unit) {
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  let p = 0;
  while (x >= 999.5 && p + 1 < prefixes.length) { x /= 1000; ++p; }
  return x.toPrecision(3) + " " + prefixes[p] + unit;
}

const intensity = s => s.q[state.model] > 0 ? s.w[state.model] / s.q[state.model] : 0;
const bound = (s, machine = state.machine) => s.sol[state.model][machine];
const deployed = s => s.prod[state.machine];
function ratio(s) {
  const t = bound(s), p = deployed(s);
  return t === null || p === null || !(round(p / 1000, 1) > 0) ? null
    : round(t / 1000, 2) / round(p / 1000, 1);
}
function exactRatio(s, floor) {
  const t = bound(s), p = deployed(s);
  return t === null || p === null || floor === null ? null : Math.max(t, floor) / p;
}
function upperMedian(values) {
  const known = values.filter(v => v !== null).sort((a, b) => a - b);
  return known.length === 0 ? null : known[Math.floor(known.length / 2)];
}
const hasPart = (parts, part) => part === "" || parts.split("/").includes(part);
function isWanted(op, s) {
  const words = (op.name + " #" + s.id + " " + s.label).toLowerCase();
  return hasPart(s.framework, state.framework) && hasPart(s.phase, state.phase) &&
    (state.tp === "" || s.tp === state.tp) && words.includes(state.search);
}
function shownOperators() {
  return data.operators.map(op => ({op, shapes: op.shapes.filter(s => isWanted(op, s))}))
    .filter(entry => entry.shapes.length > 0);
}

function cell(row, text, value, look) {
  const td = row.insertCell();
  td.textContent = text;
  if (look) td.className = look;
  if (value !== undefined) td.dataset.v = value === null ? "" : value;
  if (text === "unknown") td.classList.add("unknown");
  return td;
}
function ratioCell(row, s) {
  const td = cell(row, percent(s), s, "num");
  if (s === null) return;
  td.classList.add("s", s > 1 ? "over" : s >= 0.33 ? "near" : s >= 0.125 ? "middle" : "far");
  td.style.setProperty("--part", Math.min(100, 100 * s) + "%");
}
function fillOperators(entries) {
  const rows = entries.map(({op, shapes}) => {
    const row = document.createElement("tr");
    cell(row, visible(op.name));
    cell(row, visible(op.id));
    cell(row, op.dtype);
    cell(row, String(shapes.length), shapes.length, "num");
    cell(row, percent(op.importance), op.importance, "num");
    return row;
  });
  pick("operator-table").tBodies[0].replaceChildren(...rows);
}
function fillRooflines(entries) {
  const table = pick("roofline-table");
  Array.from(table.tHead.rows[0].cells).forEach((head, i) =>
    head.classList.toggle("chosen", i === 5 + state.machine));
  const rows = entries.map(({op, shapes}) => {
    const middle = shapes[Math.floor(shapes.length / 2)];
    const row = document.createElement("tr");
    cell(row, visible(op.name));
    cell(row, op.regime[state.model]);
    cell(row, intensityText(intensity(middle)), intensity(middle), "num");
    cell(row, prodText(deployed(middle)), deployed(middle), "num");
    ratioCell(row, upperMedian(shapes.map(ratio)));
    data.machines.forEach((_, i) => cell(row, solText(bound(middle, i)), bound(middle, i),
      i === state.machine ? "num chosen" : "num"));
    return row;
  });
  table.tBodies[0].replaceChildren(...rows);
}
function shapeCells(row, s, floor) {
  const limit = s.limit[state.model][state.machine];
  cell(row, "");
  cell(row, intensityText(intensity(s)), undefined, "num");
  cell(row, solText(bound(s)), undefined, "num");
  cell(row, limit === null ? "unknown" : limits[limit]);
  cell(row, prodText(deployed(s)), undefined, "num");
  ratioCell(row, ratio(s));
  cell(row, percent(exactRatio(s, floor)), undefined, "num");
}
function operatorBody({op, shapes}) {
  const floor = data.machines[state.machine].floor;
  const body = document.createElement("tbody");
  const head = body.insertRow();
  const fold = document.createElement("button");
  fold.className = "fold";
  fold.type = "button";
  fold.textContent = visible(op.name);
  cell(head, "").append(fold);
  cell(head, String(shapes.length), shapes.length, "num");
  const middle = shapes[Math.floor(shapes.length / 2)];
  cell(head, intensityText(intensity(middle)), intensity(middle), "num");
  cell(head, solText(bound(middle)), bound(middle), "num");
  const limit = middle.limit[state.model][state.machine];
  cell(head, limit === null ? "unknown" : limits[limit]);
  cell(head, prodText(deployed(middle)), deployed(middle), "num");
  ratioCell(head, upperMedian(shapes.map(ratio)));
  const launched = upperMedian(shapes.map(s => exactRatio(s, floor)));
  cell(head, percent(launched), launched, "num");
  const show = open => {
    fold.setAttribute("aria-expanded", open);
    while (body.rows.length > 1) body.deleteRow(1);
    if (!open) return;
    for (const s of shapes) {
      const row = body.insertRow();
      row.className = "shape";
      cell(row, visible("#" + s.id + " " + s.label));
      shapeCells(row, s, floor);
    }
  };
  fold.addEventListener("click", () => {
    const open = !state.open.has(op.name);
    if (open) state.open.add(op.name); else state.open.delete(op.name);
    show(open);
  });
  show(state.open.has(op.name));
  return body;
}
function fillShapes(entries) {
  const table = pick("shape-table");
  for (const body of Array.from(table.tBodies)) body.remove();
  table.append(...entries.map(operatorBody));
}
function fillScore(entries) {
  const machine = data.machines[state.machine];
  let weight = 0, sum = 0, launched = 0, shapes = 0, timed = 0;
  for (const {op, shapes: own} of entries) {
    shapes += own.length;
    timed += own.filter(s => exactRatio(s, 0) !== null).length;
    const s = upperMedian(own.map(x => exactRatio(x, 0)));
    if (s === null) continue;
    weight += op.importance;
    sum += op.importance * s;
    launched += op.importance * (upperMedian(own.map(x => exactRatio(x, machine.floor))) ?? 0);
  }
  const known = weight > 0;
  const facts = [
    ["machine", machine.name],
    ["importance-weighted S", known ? percent(sum / weight) : "unknown: no times there"],
    ["not normalised", known ? percent(sum) : "unknown"],
    ["with launch floor", known && machine.floor !== null
      ? percent(launched / weight) + " (" + solText(machine.floor) +
        (machine.observed ? ", least time seen)" : ")") : "unknown"],
    ["shapes with a time", timed + " of " + shapes]];
  pick("score").replaceChildren(...facts.map(([name, value]) => {
    const box = document.createElement("div");
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = visible(value);
    box.append(dt, dd);
    return box;
  }));
}

const plot = pick("plot");
const scaleOf = text => {
  const [low, high, from, to] = text.split(" ").map(Number);
  return v => from + (Math.min(high, Math.max(low, v > 0 ? Math.log10(v) : low)) - low) *
    (to - from) / (high - low);
};
const scales = {x: scaleOf(plot.dataset.x), y: scaleOf(plot.dataset.y),
                bytes: scaleOf(plot.dataset.bytes)};
const dots = new Map(Array.from(plot.querySelectorAll("circle[data-i]"),
                                dot => [Number(dot.dataset.i), dot]));
function moveDot(dot, op, s) {
  const time = deployed(s) ?? (bound(s) > 0 ? bound(s) : null);
  dot.setAttribute("display", time !== null && isWanted(op, s) ? "inline" : "none");
  if (time === null) return;
  const amount = op.strip === null ? s.w[state.model] : s.q[state.model];
  const rate = amount / time * 1e9;
  dot.setAttribute("cx", op.strip === null ? scales.x(intensity(s)) : scales.bytes(rate));
  dot.setAttribute("cy", op.strip === null ? scales.y(rate) : op.strip);
  dot.classList.toggle("could", deployed(s) === null);
  const so = exactRatio(s, 0);
  dot.firstElementChild.textContent = visible(op.name + " #" + s.id + " " + s.label) + ": AI " +
    intensityText(intensity(s)) + ", " + rateText(rate, op.strip === null ? "FLOP/s" : "B/s") +
    (so === null ? " at the bound" : ", S " + percent(so));
}
function movePlot() {
  for (const roof of plot.querySelectorAll("g.of")) {
    const shown = Number(roof.dataset.machine) === state.machine &&
      Number(roof.dataset.model) === state.model;
    roof.setAttribute("display", shown ? "inline" : "none");
  }
  for (const op of data.operators) {
    for (const s of op.shapes) {
      const dot = dots.get(s.dot);
      if (dot) moveDot(dot, op, s);
    }
  }
}
function render() {
  const entries = shownOperators();
  fillScore(entries);
  fillOperators(entries);
  fillRooflines(entries);
  fillShapes(entries);
  document.querySelectorAll("table").forEach(applySort);
  movePlot();
}

function fillSelect(id, parts) {
  const known = new Set(data.operators.flatMap(op => op.shapes.flatMap(parts)));
  known.delete("");
  for (const value of Array.from(known).sort()) {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = visible(value);
    pick(id).append(option);
  }
  pick(id).addEventListener("change", event => { state[id] = event.target.value; render(); });
}
fillSelect("framework", s => s.framework.split("/"));
fillSelect("phase", s => s.phase.split("/"));
fillSelect("tp", s => [s.tp]);
for (const name of ["machine", "model"]) {
  for (const input of document.querySelectorAll(`input[name=${name}]`)) {
    if (input.checked) state[name] = Number(input.value);
    input.addEventListener("change", () => { state[name] = Number(input.value); render(); });
  }
}
pick("search").addEventListener("input", event => {
  state.search = event.target.value.toLowerCase();
  render();
});
pick("expand").addEventListener("click", event => {
  state.all = !state.all;
  state.open = new Set(state.all ? data.operators.map(op => op.name) : []);
  event.target.textContent = state.all ? "hide all shapes" : "show all shapes";
  render();
});
document.querySelectorAll("table").forEach(makeSortable);
pick("shape-table").tHead.rows[0].cells[6].setAttribute("aria-sort", "ascending");
render();
)js";

}  // namespace tactus
