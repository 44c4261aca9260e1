#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bounds/roofline/roofline.h"

namespace tactus {

// Cells of tables about bounds, rounded as the published page rounds them.

/// "27.18 us", "3.43 ms": two decimals; "unknown" if it is unknown.
std::string bound_text(const std::optional<double>& t_ns);
std::string bound_text(const ShapeOnHardware& on);

/// "118 us", "29.4 ms".
std::string deployed_text(const std::optional<double>& t_ns);
/// The same; two decimals for a measured time ("6.40 us").
std::string deployed_text(const ShapeOnHardware& on);

/// FLOP per byte: "102.8", "15.4k".
std::string intensity_text(double ai);

/// 0.0738 as "7.4%".
std::string printed_percent(const std::optional<double>& share);

/// "1.60 TFLOP", "983 GB/s": three digits and a fitting prefix.
std::string amount_text(double value, std::string_view unit);

/// "compute", "memory" or "launch"; "unknown" without a bound.
std::string limit_text(const ShapeOnHardware& on);

std::string_view model_name(CostModel model);

/// The machines on which something has a time, by their place in the roofline.
std::vector<std::size_t> timed_hardware(const Roofline& roofline);

/// Operators by ascending median S on a machine; those without a time last.
std::vector<const OperatorSummary*> by_ascending_s(const Roofline& roofline, std::size_t hardware);

/// The total for each machine that has times, one sentence each, and its meaning.
std::vector<std::string> score_sentences(const Roofline& roofline);

/// The formulas of an operator, if it has any.
const CostFormula* formula_of(std::string_view operator_name);

}  // namespace tactus
