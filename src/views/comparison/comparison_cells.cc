#include "views/comparison/comparison_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "counters/level_words.h"
#include "names/short_name.h"
#include "views/common/numbers.h"

namespace tactus {
namespace {

constexpr std::string_view kUnknown = "unknown";
constexpr double kMovedAtAll = 0.02;  // of a counter, as a logarithm
constexpr double kByChance = 0.05;    // q from here on
constexpr double kAlike = 0.1;        // two ratios that a reader takes for the same

/// The note under the table of counters, if levels and ratio do not fit together.
constexpr std::string_view kRatioMeaning =
    "Normal and Abnormal are medians; Ratio is the typical one between a sample of each run, with "
    "levels near zero damped, so it need not be their quotient.";

/// The mean step of the normal run; 0 if it is not known.
double step_ns_of(const Comparison& comparison, std::string_view phase) {
  if (!comparison.change) return 0;
  for (const PhaseRow& row : comparison.change->by_phase) {
    if (row.phase == phase) return row.step_ns[0];
  }
  return comparison.change->step_ns[0];
}

/// Just enough digits to distinguish two ratios.
std::string short_number(double value) {
  if (!std::isfinite(value)) return std::string(kUnknown);
  const double size = std::abs(value);
  if (size >= 1e6) return fmt::format("{:.2e}", value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 1 || size == 0) return fmt::format("{:.2f}", value);
  if (size >= 0.1) return fmt::format("{:.3f}", value);
  return fmt::format("{:.2g}", value);
}

std::string quoted(const std::string& text) {
  return text.empty() ? std::string(kUnknown) : "'" + printable(text) + "'";
}

std::string known_launches(double launches) {
  return launches > 0 ? level_text(launches) : std::string(kUnknown);
}

std::string aligned_text(const std::string& aligned_by) {
  if (aligned_by == "per_launch") return "per launch";
  if (aligned_by == "regrouped") return "after cycles were regrouped";
  if (aligned_by == "anchor") return "by a common anchor";
  return printable(aligned_by);
}

}  // namespace

std::string ratio_text(double ratio) {
  if (std::isinf(ratio)) return "from 0";
  if (std::isnan(ratio)) return std::string(kUnknown);
  return "x" + short_number(ratio);
}

std::string interval_text(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) return std::string(kUnknown);
  if (std::isinf(high)) return short_number(low) + " and more";
  return short_number(low) + " to " + short_number(high);
}

std::string delta_text(double ns) {
  if (!(std::abs(ns) < 9e18)) return std::string(kUnknown);
  return (ns > 0 ? "+" : "") + format_duration(std::llround(ns));
}

std::string share_text(double share) {
  if (!std::isfinite(share)) return std::string(kUnknown);
  const double percent = std::abs(share) < 0.0005 ? 0 : 100 * share;  // no "-0.0%"
  return fmt::format("{:.1f}%", percent);
}

std::string q_text(const std::optional<double>& q) {
  if (!q || std::isnan(*q)) return std::string(kUnknown);
  return *q < 0.001 ? "<0.001" : fmt::format("{:.3f}", *q);
}

std::string level_text(double value) {
  if (!std::isfinite(value)) return std::string(kUnknown);
  const double size = std::abs(value);
  if (size >= 1e10) return fmt::format("{:.2e}", value);
  if (size >= 1000) {
    const auto whole = static_cast<std::uint64_t>(std::llround(size));
    return (value < 0 ? "-" : "") + format_count(whole);
  }
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return size >= 1 ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

std::string pair_text(const std::array<std::int64_t, 2>& counts) {
  if (counts[0] == 0 && counts[1] == 0) return std::string(kUnknown);
  return fmt::format("{} and {}", counts[0], counts[1]);
}

std::string verdict_text(const Comparison& comparison) {
  const Verdict& verdict = comparison.verdict;
  std::string text(verdict_class_name(verdict.verdict));
  if (!verdict.resource.empty() && verdict.resource != text) {
    // Names of kernels fill lines; --json and the table below have them in full.
    const bool is_kernel = verdict.verdict == VerdictClass::kKernelsChanged;
    text += ", shown by " + printable(is_kernel
                                          ? short_kernel_name(verdict.resource,
                                                              decode_kernel_name(verdict.resource))
                                          : verdict.resource);
  }
  if (!verdict.device.empty()) text += " on " + printable(verdict.device);
  text += fmt::format(", confidence {}", confidence_name(verdict.confidence));
  if (verdict.explains) text += fmt::format(", explains {}", share_text(*verdict.explains));
  for (std::size_t i = 0; i < comparison.also.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "; also " : ", ",
                        verdict_class_name(comparison.also[i].verdict));
  }
  return text;
}

std::string change_text(const Comparison& comparison) {
  if (!comparison.comparable) return "unknown: the two are not comparable";
  if (!comparison.change) return "unknown: no steps to compare";
  const Change& change = *comparison.change;
  std::string text = fmt::format("{} per {}{}, 95% interval {}", ratio_text(change.ratio),
                                 change.phase == "unknown" ? "" : change.phase + " ",
                                 printable(change.unit), interval_text(change.low, change.high));
  if (!std::isnan(change.mean.low)) {
    text += fmt::format("; mean {} ({})", ratio_text(change.mean.ratio),
                        interval_text(change.mean.low, change.mean.high));
  }
  if (!change.shape_text.empty()) text += "; " + change.shape_text;
  return text;
}

std::string comparable_text(const Comparison& comparison) {
  if (!comparison.comparable) return "no";
  const std::string& aligned_by = comparison.comparability.aligned_by;
  return aligned_by.empty() ? "yes" : "yes, " + aligned_text(aligned_by);
}

std::vector<std::string> comparability_sentences(const Comparison& comparison) {
  const Comparability& facts = comparison.comparability;
  std::vector<std::string> sentences;
  for (const std::string& reason : facts.reasons) sentences.push_back(printable(reason));
  if (facts.anchors[0] != facts.anchors[1]) {
    sentences.push_back(fmt::format("A cycle is {} in one run and {} in the other.",
                                    quoted(facts.anchors[0]), quoted(facts.anchors[1])));
  } else if (!facts.anchors[0].empty()) {
    sentences.push_back(fmt::format("A cycle is {} in both runs.", quoted(facts.anchors[0])));
  }
  const auto& launches = facts.launches_per_cycle;
  const bool is_said = std::any_of(facts.reasons.begin(), facts.reasons.end(), [](const auto& why) {
    return why.starts_with("A cycle launches");
  });
  if (!is_said && (launches[0] > 0 || launches[1] > 0)) {
    sentences.push_back(fmt::format("Launches per cycle: {} and {}.", known_launches(launches[0]),
                                    known_launches(launches[1])));
  }
  if (facts.kernel_jaccard) {
    sentences.push_back(
        fmt::format("The kernels per cycle agree to {}.", share_text(*facts.kernel_jaccard)));
  }
  return sentences;
}

std::string state_text(const TimeBreakdownRow& row) {
  return row.state == "changed" ? ratio_text(row.ratio) : row.state;
}

std::vector<std::string> seen_texts(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const SeenRow& seen : comparison.seen) texts.push_back(seen.text);
  return texts;
}

TextTable phase_table(const Change& change) {
  TextTable table({"Ratio", "95% interval", "Cycles", "Time", "Phase"});
  table.set_ranks({0, 1, 3, 2, 0});
  for (const PhaseRow& phase : change.by_phase) {
    table.add({ratio_text(phase.ratio), interval_text(phase.low, phase.high), pair_text(phase.n),
               share_text(phase.share), printable(phase.phase)});
  }
  return table;
}

std::vector<const TimeBreakdownRow*> rows_that_count(const Comparison& comparison,
                                                     std::string_view kind) {
  std::vector<const TimeBreakdownRow*> rows;
  for (const TimeBreakdownRow& row : comparison.time_breakdown) {
    if (row.kind != kind) continue;
    if (std::abs(row.delta_ns_per_cycle) >= kCountsOfStep * step_ns_of(comparison, row.phase)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

TextTable time_breakdown_table(std::span<const TimeBreakdownRow* const> rows) {
  TextTable table({"Change", "Share", "Ratio", "q", "Phase", "What"});
  table.set_ranks({0, 1, 2, 4, 3, 0});
  for (const TimeBreakdownRow* row : rows) {
    const std::string what = row->kind == "function"
                                 ? short_kernel_name(row->what, decode_kernel_name(row->what))
                                 : row->what;
    table.add({delta_text(row->delta_ns_per_cycle), share_text(row->share), state_text(*row),
               q_text(row->q), printable(row->phase), printable(what)});
  }
  return table;
}

std::vector<const CounterShiftRow*> counters_that_moved(const Comparison& comparison) {
  std::vector<const CounterShiftRow*> rows;
  for (const CounterShiftRow& row : comparison.counter_shifts) {
    const bool is_chance = row.q && *row.q >= kByChance;
    const bool is_moved = !is_chance && std::abs(std::log(row.ratio)) >= kMovedAtAll;
    if (row.is_cause || is_moved) rows.push_back(&row);
  }
  return rows;
}

std::string_view ratio_remark(std::span<const CounterShiftRow* const> rows) {
  const auto is_odd = [](const CounterShiftRow* row) {
    return !(std::abs(std::log(row->abnormal / row->normal / row->ratio)) < kAlike);
  };
  return std::any_of(rows.begin(), rows.end(), is_odd) ? kRatioMeaning : std::string_view();
}

namespace {

std::string level_in_unit(double value, const std::string& unit) {
  return unit.empty() || std::isnan(value) ? level_text(value) : level_words(value, unit);
}

}  // namespace

TextTable counter_shifts_table(std::span<const CounterShiftRow* const> rows) {
  TextTable table(
      {"Role", "Normal", "Abnormal", "Ratio", "95% interval", "q", "Samples", "Device", "Counter"});
  table.set_ranks({2, 0, 0, 0, 3, 4, 5, 1, 0});
  for (const CounterShiftRow* row : rows) {
    table.add({row->is_cause ? "cause" : "symptom", level_in_unit(row->normal, row->unit),
               level_in_unit(row->abnormal, row->unit), ratio_text(row->ratio),
               interval_text(row->low, row->high), q_text(row->q), pair_text(row->samples),
               printable(row->device), printable(row->counter)});
  }
  return table;
}

}  // namespace tactus
