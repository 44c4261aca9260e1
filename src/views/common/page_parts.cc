#include <fmt/format.h>

#include "views/common/html.h"

namespace tactus {

const std::string_view kPageStyle = R"css(
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
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: .8rem 0 0; }
.facts div { min-width: 6rem; }
.facts dt { color: var(--quiet); font-size: .8rem; }
.facts dd { margin: 0; font-weight: 600; font-size: 1.05rem; overflow-wrap: anywhere; }
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
ul { padding-left: 1.2rem; margin: .4rem 0; overflow-wrap: anywhere; }
pre { background: var(--box); padding: .6rem .8rem; border-radius: 4px; overflow-x: auto;
  margin: .4rem 0 1rem; }
input { font: inherit; width: 100%; max-width: 24rem; padding: .3rem .5rem; margin: .4rem 0;
  color: inherit; background: var(--box); border: 1px solid var(--line); border-radius: 4px; }
@media (max-width: 40rem) {
  body { padding: .9rem; }
}
@media print {
  :root { --back: #fff; --text: #000; --quiet: #444; --line: #bbb; --box: #f2f2f2; }
  body { max-width: none; padding: 0; font-size: 11px; }
  .wide { overflow: visible; }
  input { display: none; }
  tr { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

const std::string_view kPageScript = R"js(
"use strict";
function compareCells(a, b) {
  const x = a.dataset.v, y = b.dataset.v;
  if (x === undefined || y === undefined) return a.textContent.localeCompare(b.textContent);
  if (x === "" || y === "") return (x === "") - (y === "");
  return Number(x) - Number(y);
}
// A table of several bodies is sorted by their first rows: each body is a row with its details.
function applySort(table) {
  const column = Array.from(table.tHead.rows[0].cells).findIndex(c => c.hasAttribute("aria-sort"));
  if (column < 0) return;
  const down = table.tHead.rows[0].cells[column].getAttribute("aria-sort") === "descending";
  const inside = table.tBodies.length > 1 ? table : table.tBodies[0];
  const parts = Array.from(table.tBodies.length > 1 ? table.tBodies : inside.rows);
  const cell = part => (part.rows ? part.rows[0] : part).cells[column];
  parts.sort((a, b) => compareCells(cell(a), cell(b)) * (down ? -1 : 1));
  inside.append(...parts);
}
function sortBy(table, column) {
  const heads = table.tHead.rows[0].cells;
  const down = heads[column].getAttribute("aria-sort") !== "descending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  applySort(table);
}
function makeSortable(table) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.addEventListener("click", () => sortBy(table, column));
    head.replaceChildren(button);
  });
}
// The same characters as is_control_character.
function visible(text) {
  const hex = (c, digits) => c.charCodeAt(0).toString(16).padStart(digits, "0");
  return String(text).replace(/[\u0000-\u001f\u007f]/g, c => "\\x" + hex(c, 2))
    .replace(/[\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
      c => "\\u" + hex(c, 4));
}
)js";

std::string page_html(const PageParts& parts) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style></head>\n<body>\n{}"
      "<script type=\"application/json\" id=\"{}\">{}</script>\n"
      "<script>{}{}</script>\n</body></html>\n",
      html_text(parts.title), kPageStyle, parts.style, parts.body, parts.json_id, parts.json,
      kPageScript, parts.script);
}

}  // namespace tactus
