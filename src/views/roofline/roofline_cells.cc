#include "views/roofline/roofline_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bounds/roofline/roofline.h"
#include "views/common/numbers.h"

namespace tactus {
namespace {

constexpr double kUsInMs = 1000;

/// The larger of two equally near decimals, where fmt takes the even one.
std::string rounded(double value, int decimals) {
  return fmt::format("{:.{}f}", printed(value, decimals), decimals);
}

std::string time_text(double t_us, int decimals_us, int decimals_ms) {
  if (t_us >= kUsInMs) return rounded(t_us / kUsInMs, decimals_ms) + " ms";
  return rounded(t_us, decimals_us) + " us";
}

}  // namespace

std::string bound_text(const std::optional<double>& t_ns) {
  if (!t_ns) return "unknown";
  return time_text(printed(*t_ns / 1e3, 2), 2, 2);
}

std::string bound_text(const ShapeOnHardware& on) {
  return bound_text(on.bound ? std::optional(on.bound->t_ns) : std::nullopt);
}

std::string deployed_text(const std::optional<double>& t_ns) {
  if (!t_ns) return "unknown";
  return time_text(printed(*t_ns / 1e3, 1), 0, 1);
}

std::string deployed_text(const ShapeOnHardware& on) {
  return on.t_prod_by.empty() ? deployed_text(on.t_prod_ns) : bound_text(on.t_prod_ns);
}

std::string intensity_text(double ai) {
  const double shown = printed(ai, 1);
  return shown >= 1000 ? rounded(shown / 1000, 1) + "k" : rounded(shown, 1);
}

std::string printed_percent(const std::optional<double>& share) {
  return share ? rounded(100 * *share, 1) + "%" : "unknown";
}

std::string amount_text(double value, std::string_view unit) {
  static constexpr std::array<std::string_view, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const int decimals = prefix == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", value, decimals, kPrefixes[prefix], unit);
}

std::string limit_text(const ShapeOnHardware& on) {
  return on.bound ? std::string(limit_name(on.bound->limit)) : "unknown";
}

std::string_view model_name(CostModel model) {
  return model == CostModel::kStrict ? "strict" : "catalogue";
}

std::vector<std::size_t> timed_hardware(const Roofline& roofline) {
  std::vector<std::size_t> timed;
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    if (std::any_of(roofline.rows.begin(), roofline.rows.end(),
                    [&](const RooflineRow& row) { return row.on[i].t_prod_ns.has_value(); })) {
      timed.push_back(i);
    }
  }
  return timed;
}

std::vector<const OperatorSummary*> by_ascending_s(const Roofline& roofline, std::size_t hardware) {
  std::vector<const OperatorSummary*> order;
  for (const OperatorSummary& summary : roofline.operators) order.push_back(&summary);
  const auto key = [&](const OperatorSummary* summary) {
    return hardware < summary->median_s_printed.size()
               ? summary->median_s_printed[hardware].value_or(INFINITY)
               : INFINITY;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return key(a) < key(b); });
  return order;
}

std::vector<std::string> score_sentences(const Roofline& roofline) {
  std::vector<std::string> sentences;
  bool published = false;
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    const Score& score = roofline.scores[i];
    if (!score.weighted_s) continue;
    std::string text = fmt::format(
        "{}: {} of the bound, weighted by importance ({} not normalised); {} shapes with a time, "
        "{} of all importance",
        roofline.hardware[i]->name, printed_percent(score.weighted_s),
        printed_percent(score.weighted_s_unnormalised), format_count(score.timed_shapes),
        printed_percent(score.covered_importance));
    if (const auto& floor = roofline.launch_floors[i]) {
      text += fmt::format("; {} with a launch floor of {}{}",
                          printed_percent(score.weighted_s_with_launch), bound_text(floor->ns),
                          floor->observed ? ", the least time of any shape there" : "");
    }
    sentences.push_back(text);
    published = true;
  }
  if (published && std::abs(roofline.importance_sum - 1) > 0.005) {
    sentences.push_back(
        fmt::format("The importances of the catalogue add up to {:.3f}, not 1: the first figure is "
                    "divided by that sum, the one in brackets is not.",
                    roofline.importance_sum));
  }
  return sentences;
}

const CostFormula* formula_of(std::string_view operator_name) {
  for (const CostFormula& formula : cost_formulas()) {
    if (formula.operator_name == operator_name) return &formula;
  }
  return nullptr;
}

}  // namespace tactus
