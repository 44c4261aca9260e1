#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "explain/verdict_text.h"
#include "views/common/text_table.h"
#include "views/comparison/comparison_cells.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

constexpr std::size_t kHead = 12;
constexpr std::size_t kParts = 8;
constexpr std::size_t kFunctions = 8;
constexpr std::size_t kCounters = 8;

class TextWriter {
 public:
  explicit TextWriter(std::size_t width) : width_(width) {}

  void line(std::string_view head, const std::string& text) {
    out_ += paragraph(head, printable(text), width_, kHead);
  }
  /// Only the first of them has a heading.
  void lines(std::string_view head, const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) line(i == 0 ? head : "", texts[i]);
  }
  void gap() { out_ += '\n'; }
  void heading(const std::string& text) { out_ += "\n" + text + "\n"; }
  void table(const TextTable& table) { out_ += table.to_text(width_); }
  void remark(const std::string& text) { out_ += paragraph("", text, width_, 0); }
  /// A command stays on one line of any length, because people copy it.
  void command(const std::string& command) {
    out_ += std::string(kHead, ' ') + "$ " + printable(command) + "\n";
  }
  std::string take() { return std::move(out_); }

 private:
  std::size_t width_;
  std::string out_;
};

void add_verdict(const Comparison& comparison, TextWriter& out) {
  out.remark(printable(comparison.verdict.text));
  out.gap();
  out.line("verdict", verdict_text(comparison));
  out.line("runs", fmt::format("{} against {}", comparison.labels[1], comparison.labels[0]));
  out.line("how much", change_text(comparison));
  out.line("comparable", comparable_text(comparison));
  out.lines("", comparability_sentences(comparison));
}

/// "per decode step"; "per step" if the phase is not known.
std::string per_step(const Comparison& comparison) {
  return "per " + step_words(comparison.change ? comparison.change->phase : "");
}

/// The first rows of a table, and how many more there are.
template <class Row, class Table>
void add_rows(std::vector<const Row*> rows, std::size_t most, Table&& table, TextWriter& out) {
  const std::size_t all = rows.size();
  if (rows.size() > most) rows.resize(most);
  out.table(table(rows));
  if (all > most) out.remark(fmt::format("--json shows {} more.", all - most));
}

void add_time_breakdown(const Comparison& comparison, TextWriter& out) {
  if (comparison.time_breakdown.empty()) {
    out.line("where", "unknown");
    return;
  }
  const auto parts = rows_that_count(comparison, "part");
  const auto functions = rows_that_count(comparison, "function");
  if (parts.empty() && functions.empty()) {
    out.line("where",
             fmt::format("no part of a step changed by {:.1f}% of the step", 100 * kCountsOfStep));
  }
  if (!parts.empty()) {
    out.heading("Where the time went, per step (the parts of a phase add up to its step):");
    add_rows(parts, kParts, time_breakdown_table, out);
  }
  if (!functions.empty()) {
    out.heading("Kernels and calls that changed most, " + per_step(comparison) + ":");
    add_rows(functions, kFunctions, time_breakdown_table, out);
  }
}

void add_counter_shifts(const Comparison& comparison, TextWriter& out) {
  const std::vector<const CounterShiftRow*> rows = counters_that_moved(comparison);
  if (rows.empty()) {
    out.line("why", comparison.counter_shifts.empty()
                        ? "unknown: no counter was recorded during the steps of both runs"
                        : "no counter moved by 2% or more");
    return;
  }
  out.heading("Why: counters that moved, normal to abnormal:");
  add_rows(rows, kCounters, counter_shifts_table, out);
  if (const std::string_view remark = ratio_remark(rows); !remark.empty()) {
    out.remark(std::string(remark));
  }
}

void add_next(const Comparison& comparison, TextWriter& out) {
  for (std::size_t i = 0; i < comparison.next.size(); ++i) {
    const NextStep& step = comparison.next[i];
    out.line(i == 0 ? "next" : "", step.text);
    if (!step.command.empty()) out.command(step.command);
  }
}

}  // namespace

std::string show_comparison_text(const Comparison& comparison, std::size_t width) {
  TextWriter out(width);
  add_verdict(comparison, out);
  if (comparison.change && !comparison.change->by_phase.empty()) {
    out.gap();
    out.table(phase_table(*comparison.change));
  }
  add_time_breakdown(comparison, out);
  add_counter_shifts(comparison, out);
  if (!comparison.time_breakdown.empty() || !comparison.counter_shifts.empty()) out.gap();
  out.lines("seen", seen_texts(comparison));
  out.lines("evidence", comparison.evidence);
  out.lines("not known", comparison.not_known);
  add_next(comparison, out);
  return out.take();
}

}  // namespace tactus
