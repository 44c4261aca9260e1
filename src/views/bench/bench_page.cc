#include "views/bench/bench_page.h"

namespace tactus {

const std::string_view kBenchPageStyle = R"css(
body { max-width: 80rem; }
.controls { position: sticky; top: 0; z-index: 1; background: var(--back); padding: .6rem 0;
  display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-top: 1rem;
  border-bottom: 1px solid var(--line); }
.pick { color: var(--quiet); font-size: .8rem; }
.pick select { display: block; }
select, #expand { font: inherit; font-size: .9rem; color: var(--text); background: var(--box);
  border: 1px solid var(--line); border-radius: 4px; padding: .2rem .5rem; }
#expand { cursor: pointer; }
.plot { display: block; width: 100%; max-width: 70rem; min-width: 44rem; }
.plot.key { display: inline-block; width: .8rem; min-width: 0; vertical-align: -.05rem; }
.plot .marks .off { display: none; }
#families th, #operators th { white-space: normal; vertical-align: bottom; }
#families td:first-child { white-space: nowrap; }
td.s { min-width: 4.5rem; background: linear-gradient(to right,
  color-mix(in srgb, var(--normal) 26%, transparent) var(--part, 0%), transparent var(--part, 0%)); }
td.better { color: var(--good); }
td.worse { color: var(--bad); }
tr.total td { font-weight: 600; }
.fold { all: unset; cursor: pointer; font-weight: 600; white-space: nowrap; }
.fold:focus-visible { outline: 2px solid var(--normal); }
.fold::before { content: "\25B8"; display: inline-block; width: 1rem; color: var(--quiet); }
.fold[aria-expanded=true]::before { content: "\25BE"; }
tr.shape td { font-size: .86rem; }
tr.shape td:first-child { padding-left: 1.9rem; min-width: 16rem; overflow-wrap: anywhere; }
#tip { position: fixed; z-index: 2; pointer-events: none; white-space: pre-line; max-width: 28rem;
  background: var(--box); color: var(--text); border: 1px solid var(--line); border-radius: 4px;
  padding: .35rem .6rem; font-size: .85rem; box-shadow: 0 2px 8px rgb(0 0 0 / .2); }
@media (max-width: 40rem) { .controls { position: static; } }
@media print { .controls { display: none; } .plot { min-width: 0; } }
)css";

const std::string_view kBenchPageScript = R"js(
const pick = id => document.getElementById(id);
const bodies = Array.from(pick("operators").tBodies);
const familyOf = new Map(bodies.map(body => [body.dataset.op, body.dataset.family]));

function unfold(body, open) {
  body.querySelector(".fold").setAttribute("aria-expanded", open);
  for (const row of body.querySelectorAll("tr.shape")) row.hidden = !open;
}
for (const body of bodies) {
  const fold = body.querySelector(".fold");
  fold.addEventListener("click", () =>
    unfold(body, fold.getAttribute("aria-expanded") !== "true"));
}
pick("expand").addEventListener("click", event => {
  const open = event.target.textContent.startsWith("show");
  for (const body of bodies) unfold(body, open);
  event.target.textContent = open ? "hide all shapes" : "show all shapes";
});

// Fewer lines close up.
const dots = pick("dots");
const lines = Array.from(dots.querySelectorAll("g.line"));
const box = dots.getAttribute("viewBox").split(" ").map(Number);
function closeUp() {
  const step = Number(dots.querySelector(".marks").dataset.line);
  let place = 0;
  lines.forEach((line, i) => {
    if (line.classList.contains("off")) return;
    line.setAttribute("transform", `translate(0 ${(place - i) * step})`);
    ++place;
  });
  const gone = (lines.length - place) * step;
  const grid = dots.querySelector(".grid-lines");
  grid.setAttribute("transform",
    `translate(0 ${grid.dataset.top}) scale(1 ${place / lines.length})`);
  dots.querySelector(".below").setAttribute("transform", `translate(0 ${-gone})`);
  dots.querySelectorAll(".lane").forEach((lane, i) =>
    lane.setAttribute("display", 2 * i + 1 < place ? "inline" : "none"));
  dots.setAttribute("viewBox", [box[0], box[1], box[2], box[3] - gone].join(" "));
}

function filter() {
  const family = pick("family").value, operator = pick("operator").value;
  const isShown = name => (family === "" || familyOf.get(name) === family) &&
    (operator === "" || name === operator);
  for (const part of document.querySelectorAll("svg [data-op]")) {
    part.classList.toggle("off", !isShown(part.dataset.op));
  }
  for (const body of bodies) body.hidden = !isShown(body.dataset.op);
  closeUp();
}
pick("family").addEventListener("change", () => {
  const family = pick("family").value;
  for (const option of pick("operator").options) {
    option.hidden = option.value !== "" && family !== "" && option.dataset.family !== family;
  }
  pick("operator").value = "";
  filter();
});
pick("operator").addEventListener("change", filter);

const moved = Array.from(document.querySelectorAll("[data-launch]"), mark => ({
  mark, names: mark.tagName === "line" ? ["x1", "x2"] : ["cx"], launch: mark.dataset.launch,
  plain: mark.getAttribute(mark.tagName === "line" ? "x1" : "cx")}));
pick("floor")?.addEventListener("change", event => {
  for (const {mark, names, ...places} of moved) {
    for (const name of names) mark.setAttribute(name, places[event.target.value]);
  }
});

// The tooltip of a browser comes late and vanishes: ours is there at once.
const tip = pick("tip");
for (const shape of document.querySelectorAll(".marks g[data-op]:not(.line)")) {
  const title = shape.querySelector("title");
  const text = title.textContent;
  title.remove();
  shape.setAttribute("aria-label", text);
  shape.addEventListener("pointermove", event => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = (event.clientY + 18 + box.height > innerHeight
      ? event.clientY - box.height - 12 : event.clientY + 18) + "px";
  });
  shape.addEventListener("pointerleave", () => { tip.hidden = true; });
}
document.querySelectorAll("table").forEach(makeSortable);
)js";

}  // namespace tactus
