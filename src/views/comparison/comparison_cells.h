#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/comparison.h"
#include "views/common/text_table.h"

namespace tactus {

// Parts that the text, the Markdown and the page of a comparison share.

/// "x3.57", "from 0" for an infinite one, "unknown" for none.
std::string ratio_text(double ratio);
/// "3.40 to 3.80"
std::string interval_text(double low, double high);
/// "+1.641 s"
std::string delta_text(double ns);
/// "92.1%" of the whole change; unlike percent_text, never "-0.0%", and "unknown" for no number
std::string share_text(double share);
/// "0.013", "<0.001", "unknown"
std::string q_text(const std::optional<double>& q);
/// A counter's level, in its own unit: "3,500", "0.264", "2.49e+13".
std::string level_text(double value);
/// "14 and 238", "unknown" for none in both
std::string pair_text(const std::array<std::int64_t, 2>& counts);

/// "cpu_frequency on Host, confidence high; also kernels_changed"
std::string verdict_text(const Comparison& comparison);
/// "x3.57 per launch, 95% interval 3.40 to 3.80"; says so if there is no interval.
std::string change_text(const Comparison& comparison);
/// "yes", "yes, per launch", "no"
std::string comparable_text(const Comparison& comparison);
/// Sentences: the reasons, then the anchors, launches and kernels of both runs, if known.
std::vector<std::string> comparability_sentences(const Comparison& comparison);

/// The ratio of a row, or whether it is new or gone.
std::string state_text(const TimeBreakdownRow& row);
/// What moved without being felt.
std::vector<std::string> seen_texts(const Comparison& comparison);

/// One row per phase.
TextTable phase_table(const Change& change);

/// A part or a function that changed by less than this share of a step is not worth a line.
inline constexpr double kCountsOfStep = 0.002;
/// Rows of a kind ("part" or "function") that changed by more than that, largest first.
std::vector<const TimeBreakdownRow*> rows_that_count(const Comparison& comparison,
                                                     std::string_view kind);
TextTable time_breakdown_table(std::span<const TimeBreakdownRow* const> rows);

/// Causes, then other counters that moved by more than 2%.
std::vector<const CounterShiftRow*> counters_that_moved(const Comparison& comparison);
TextTable counter_shifts_table(std::span<const CounterShiftRow* const> rows);
/// What the ratio means, if it is not the quotient of the levels beside it; else empty.
std::string_view ratio_remark(std::span<const CounterShiftRow* const> rows);

}  // namespace tactus
