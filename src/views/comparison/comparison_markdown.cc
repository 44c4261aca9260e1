#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "views/common/text_table.h"
#include "views/comparison/comparison_cells.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

void add_heading(std::string& out, std::string_view text) {
  out += fmt::format("\n## {}\n\n", text);
}

void add_list(std::string& out, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) out += "- " + markdown_cell(sentence) + "\n";
}

/// A command as code. The fence is longer than any run of backticks in it, so the command cannot
/// close it.
std::string code_block(const std::string& command) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : command) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{}\n{}\n{}\n", fence, printable(command), fence);
}

void add_how_much(std::string& out, const Comparison& comparison) {
  add_heading(out, "How much");
  out += markdown_cell(change_text(comparison)) + "\n";
  if (comparison.change && !comparison.change->by_phase.empty()) {
    out += "\n" + phase_table(*comparison.change).to_markdown();
  }
  out += fmt::format("\nComparable: {}.\n\n", markdown_cell(comparable_text(comparison)));
  add_list(out, comparability_sentences(comparison));
}

void add_breakdown(std::string& out, const Comparison& comparison) {
  const auto parts = rows_that_count(comparison, "part");
  const auto functions = rows_that_count(comparison, "function");
  if (comparison.time_breakdown.empty()) {
    out += "unknown\n";
  } else if (parts.empty() && functions.empty()) {
    out += fmt::format("No part of a step changed by {:.1f}% of the step.\n", 100 * kCountsOfStep);
  }
  if (!parts.empty()) out += time_breakdown_table(parts).to_markdown();
  if (!functions.empty()) {
    out += "\nKernels and calls that changed most:\n\n" +
           time_breakdown_table(functions).to_markdown();
  }
}

void add_counters(std::string& out, const Comparison& comparison) {
  const std::vector<const CounterShiftRow*> rows = counters_that_moved(comparison);
  if (rows.empty()) {
    out += comparison.counter_shifts.empty() ? "unknown\n" : "No counter moved by 2% or more.\n";
    return;
  }
  out += counter_shifts_table(rows).to_markdown();
  if (const std::string_view remark = ratio_remark(rows); !remark.empty()) {
    out += fmt::format("\n{}\n", remark);
  }
}

void add_section(std::string& out, std::string_view heading,
                 const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  add_heading(out, heading);
  add_list(out, sentences);
}

void add_next(std::string& out, const Comparison& comparison) {
  if (comparison.next.empty()) return;
  add_heading(out, "What to check next");
  for (const NextStep& step : comparison.next) {
    out += markdown_cell(step.text) + "\n\n";
    if (!step.command.empty()) out += code_block(step.command) + "\n";
  }
}

}  // namespace

std::string show_comparison_markdown(const Comparison& comparison) {
  std::string out =
      fmt::format("# {} against {}\n\n**{}**\n\nVerdict: {}.\n",
                  markdown_cell(comparison.labels[1]), markdown_cell(comparison.labels[0]),
                  markdown_cell(comparison.verdict.text), markdown_cell(verdict_text(comparison)));
  add_how_much(out, comparison);
  add_heading(out, "Where the time went, per step");
  add_breakdown(out, comparison);
  add_heading(out, "Why: counters that moved");
  add_counters(out, comparison);
  add_section(out, "Seen, but not felt", seen_texts(comparison));
  add_section(out, "Evidence", comparison.evidence);
  add_section(out, "What is not known", comparison.not_known);
  add_next(out, comparison);
  return out;
}

}  // namespace tactus
