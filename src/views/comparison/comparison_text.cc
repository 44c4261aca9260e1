#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "views/common/text_table.h"
#include "views/comparison/comparison_cells.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

constexpr std::size_t kHead = 12;
constexpr std::size_t kWhereRows = 12;
constexpr std::size_t kSymptoms = 6;

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

void add_time_breakdown(const Comparison& comparison, TextWriter& out) {
  if (comparison.time_breakdown.empty()) {
    out.line("where", "unknown");
    return;
  }
  out.heading("Where the time went, per cycle:");
  out.table(time_breakdown_table(comparison, kWhereRows));
  if (comparison.time_breakdown.size() > kWhereRows) {
    out.remark(fmt::format("--json shows {} more.", comparison.time_breakdown.size() - kWhereRows));
  }
}

void add_counter_shifts(const Comparison& comparison, TextWriter& out) {
  if (comparison.counter_shifts.empty()) {
    out.line("why", "unknown: no counter is known to have moved");
    return;
  }
  out.heading("Why: counters that moved, normal to abnormal (in their own units):");
  out.table(counter_shifts_table(comparison, kSymptoms));
  const auto symptoms = static_cast<std::size_t>(
      std::count_if(comparison.counter_shifts.begin(), comparison.counter_shifts.end(),
                    [](const CounterShiftRow& row) { return !row.is_cause; }));
  if (symptoms > kSymptoms) {
    out.remark(fmt::format("--json shows {} more.", symptoms - kSymptoms));
  }
  out.remark(std::string(kRatioMeaning));
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
