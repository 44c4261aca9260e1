#include "bounds/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bounds/printed.h"

namespace tactus {
namespace {

constexpr double kComputeAbove = 10;     // [FLOP/byte]
constexpr double kIndexingBelow = 0.01;  // [FLOP/byte]

/// The element at n/2 of the sorted values: of an even number the upper of the middle two.
template <class T>
T upper_median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool has_phase(const std::string& phases, const std::string& phase) {
  return phase.empty() || phases.find(phase) != std::string::npos;
}

bool wanted(const Shape& shape, const RooflineQuestion& question) {
  if (!question.shape_id.empty() && shape.id != question.shape_id) return false;
  if (!question.framework.empty() &&
      shape.framework.find(question.framework) == std::string::npos) {
    return false;
  }
  if (question.tensor_parallel && shape.tensor_parallel != question.tensor_parallel) return false;
  return has_phase(shape.phase, question.phase);
}

bool same_hardware(const std::string& named, const HardwareProfile& hardware) {
  if (named == hardware.name) return true;
  const HardwareProfile* profile = hardware_of_device(named);
  return profile != nullptr && profile->name == hardware.name;
}

bool same_shape(const BaselineTime& time, const Operator& op, const Shape& shape) {
  if (time.operator_name != op.name) return false;
  if (!time.shape_id.empty()) return time.shape_id == shape.id;
  return time.parameters == shape.parameters;
}

/// The time a baseline gives, else the deployed one; the fastest where there are several.
std::optional<double> time_of(const Operator& op, const Shape& shape,
                              const HardwareProfile& hardware,
                              std::span<const BaselineTime> baselines) {
  std::optional<double> best;
  const auto take = [&best](double t_ns) { best = std::min(best.value_or(t_ns), t_ns); };
  for (const BaselineTime& time : baselines) {
    if (same_shape(time, op, shape) && same_hardware(time.hardware, hardware)) take(time.t_ns);
  }
  if (best) return best;
  for (const DeployedTime& time : shape.deployed) {
    if (same_hardware(time.hardware, hardware)) take(time.t_ns);
  }
  return best;
}

ShapeOnHardware shape_on(const RooflineRow& row, const HardwareProfile& hardware, CostModel model,
                         std::span<const BaselineTime> baselines) {
  ShapeOnHardware result;
  result.bound = speed_of_light(row.cost, hardware, model);
  result.t_prod_ns = time_of(*row.op, *row.shape, hardware, baselines);
  if (!result.bound || !result.t_prod_ns) return result;
  result.s = result.bound->t_ns / *result.t_prod_ns;
  const double t_prod_us = printed(*result.t_prod_ns / 1e3, 1);
  if (t_prod_us > 0) result.s_printed = printed(result.bound->t_ns / 1e3, 2) / t_prod_us;
  const double floor_ns = hardware.launch_floor_ns ? hardware.launch_floor_ns->value : 0;
  result.s_with_launch = std::max(result.bound->t_ns, floor_ns) / *result.t_prod_ns;
  return result;
}

using FieldOfShape = std::optional<double> ShapeOnHardware::*;

std::optional<double> median_of(const Roofline& roofline, const OperatorSummary& summary,
                                std::size_t hardware, FieldOfShape field) {
  std::vector<double> values;
  for (std::size_t i = 0; i < summary.rows; ++i) {
    const std::optional<double>& s = roofline.rows[summary.first_row + i].on[hardware].*field;
    if (s) values.push_back(*s);
  }
  if (values.empty()) return std::nullopt;
  return upper_median(std::move(values));
}

Regime regime_of(double ai) {
  if (ai < kIndexingBelow) return Regime::kIndexing;
  return ai > kComputeAbove ? Regime::kCompute : Regime::kMemory;
}

Score score_of(const Roofline& roofline, std::size_t hardware) {
  Score score;
  double weight = 0;
  double sum = 0;
  double sum_with_launch = 0;
  for (const OperatorSummary& summary : roofline.operators) {
    const std::optional<double>& s = summary.median_s[hardware];
    if (!s) continue;
    weight += summary.op->importance;
    sum += summary.op->importance * *s;
    sum_with_launch +=
        summary.op->importance *
        median_of(roofline, summary, hardware, &ShapeOnHardware::s_with_launch).value_or(0);
  }
  if (weight <= 0) return score;
  score.weighted_s = sum / weight;
  score.weighted_s_unnormalised = sum;
  score.weighted_s_with_launch = sum_with_launch / weight;
  if (roofline.importance_sum > 0) score.covered_importance = weight / roofline.importance_sum;
  return score;
}

/// Adds the rows of an operator. Its regime is that of all its shapes, whichever were asked for.
Status add_operator(Roofline& roofline, const Operator& op, std::span<const BaselineTime> baselines,
                    const RooflineQuestion& question) {
  OperatorSummary summary;
  summary.op = &op;
  summary.first_row = roofline.rows.size();
  std::vector<double> intensities;
  for (const Shape& shape : op.shapes) {
    Result<Cost> cost = cost_of(op.name, shape, question.model);
    if (!cost) {
      roofline.rows.resize(summary.first_row);
      return cost.error();
    }
    const double ai = cost->bytes() > 0 ? cost->flops() / cost->bytes() : 0;
    intensities.push_back(ai);
    if (!wanted(shape, question)) continue;
    RooflineRow row;
    row.op = &op;
    row.shape = &shape;
    row.cost = std::move(*cost);
    row.ai = ai;
    for (const HardwareProfile* machine : roofline.hardware) {
      row.on.push_back(shape_on(row, *machine, question.model, baselines));
    }
    roofline.rows.push_back(std::move(row));
  }
  summary.rows = roofline.rows.size() - summary.first_row;
  if (summary.rows == 0) return {};
  summary.middle_row = summary.first_row + summary.rows / 2;
  summary.regime = regime_of(upper_median(std::move(intensities)));
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    summary.median_s.push_back(median_of(roofline, summary, i, &ShapeOnHardware::s));
    summary.median_s_printed.push_back(
        median_of(roofline, summary, i, &ShapeOnHardware::s_printed));
  }
  roofline.operators.push_back(std::move(summary));
  return {};
}

}  // namespace

Result<Roofline> make_roofline(const Catalogue& catalogue,
                               std::span<const HardwareProfile* const> hardware,
                               std::span<const BaselineTime> baselines,
                               const RooflineQuestion& question) {
  Roofline result;
  result.model = question.model;
  result.hardware.assign(hardware.begin(), hardware.end());
  for (const Operator& op : catalogue.operators) result.importance_sum += op.importance;
  if (!question.operator_name.empty()) {
    const Result<const Operator*> op = find_operator(catalogue, question.operator_name);
    if (!op) return op.error();
    if (!question.shape_id.empty()) {
      const Result<const Shape*> shape = find_shape(**op, question.shape_id);
      if (!shape) return shape.error();
    }
  }

  for (const Operator& op : catalogue.operators) {
    if (!question.operator_name.empty() && op.name != question.operator_name &&
        op.id != question.operator_name) {
      continue;
    }
    const Status added = add_operator(result, op, baselines, question);
    if (!added) {
      result.warnings.push_back(fmt::format("{} is left out: {}", op.name, added.error().message));
    }
  }
  for (std::size_t i = 0; i < hardware.size(); ++i) result.scores.push_back(score_of(result, i));
  return result;
}

}  // namespace tactus
