#include "bounds/roofline/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "bounds/roofline/shape_filter.h"
#include "stats/summary.h"

namespace tactus {

namespace {

constexpr double kComputeAbove = 10;     // [FLOP/byte]
constexpr double kIndexingBelow = 0.01;  // [FLOP/byte]

/// Times that are known, and the machines that they name: looking a machine up takes longer than
/// all the rest, and there are few of them.
class KnownTimes {
 public:
  explicit KnownTimes(std::span<const BaselineTime> baselines) : baselines_(baselines) {}

  struct Known {
    double t_ns = 0;
    std::string_view by;  ///< of a baseline
  };
  /// The time in a baseline, else the deployed one; the fastest of several.
  std::optional<Known> of(const Operator& op, const Shape& shape, const HardwareProfile& hardware);

 private:
  bool is_machine(const std::string& named, const HardwareProfile& hardware) {
    if (named == hardware.name) return true;
    const auto [profile, is_new] = profiles_.try_emplace(named, nullptr);
    if (is_new) profile->second = hardware_of_device(named);
    return profile->second != nullptr && profile->second->name == hardware.name;
  }

  std::span<const BaselineTime> baselines_;
  std::map<std::string, const HardwareProfile*, std::less<>> profiles_;  ///< by name in the times
};

bool same_shape(const BaselineTime& time, const Operator& op, const Shape& shape) {
  if (time.operator_name != op.name) return false;
  if (!time.shape_id.empty()) return time.shape_id == shape.id;
  return time.parameters == shape.parameters;
}

std::optional<KnownTimes::Known> KnownTimes::of(const Operator& op, const Shape& shape,
                                                const HardwareProfile& hardware) {
  std::optional<Known> best;
  const auto take = [&best](double t_ns, std::string_view by) {
    if (!best || t_ns < best->t_ns) best = Known{.t_ns = t_ns, .by = by};
  };
  for (const BaselineTime& time : baselines_) {
    if (same_shape(time, op, shape) && is_machine(time.hardware, hardware)) {
      take(time.t_ns, time.source);
    }
  }
  if (best) return best;
  for (const DeployedTime& time : shape.deployed) {
    if (is_machine(time.hardware, hardware)) take(time.t_ns, {});
  }
  return best;
}

ShapeOnHardware shape_on(const RooflineRow& row, const HardwareProfile& hardware, CostModel model,
                         KnownTimes& times) {
  ShapeOnHardware result;
  result.bound = speed_of_light(row.cost, hardware, model);
  if (const auto known = times.of(*row.op, *row.shape, hardware)) {
    result.t_prod_ns = known->t_ns;
    result.t_prod_by = known->by;
  }
  if (!result.bound || !result.t_prod_ns) return result;
  result.s = result.bound->t_ns / *result.t_prod_ns;
  const double t_prod_us = printed(*result.t_prod_ns / 1e3, 1);
  if (t_prod_us > 0) result.s_printed = printed(result.bound->t_ns / 1e3, 2) / t_prod_us;
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
  for (const RooflineRow& row : roofline.rows) score.timed_shapes += row.on[hardware].s ? 1 : 0;
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
  if (roofline.launch_floors[hardware]) score.weighted_s_with_launch = sum_with_launch / weight;
  if (roofline.importance_sum > 0) score.covered_importance = weight / roofline.importance_sum;
  return score;
}

/// Adds the rows of an operator. All its shapes decide its regime, also those that are filtered
/// out.
void add_operator(Roofline& roofline, const Operator& op, KnownTimes& times,
                  const RooflineQuestion& question) {
  OperatorSummary summary;
  summary.op = &op;
  summary.first_row = roofline.rows.size();
  std::vector<double> intensities;
  std::size_t dropped = 0;
  std::string why;
  for (const Shape& shape : op.shapes) {
    Result<Cost> cost = cost_of(op.name, shape, question.model);
    if (!cost) {
      ++dropped;
      if (why.empty()) why = cost.error().message;
      continue;
    }
    const double ai = cost->bytes() > 0 ? cost->flops() / cost->bytes() : 0;
    intensities.push_back(ai);
    if (!is_wanted(shape, question)) continue;
    RooflineRow row;
    row.op = &op;
    row.shape = &shape;
    row.cost = std::move(*cost);
    row.ai = ai;
    for (const HardwareProfile* machine : roofline.hardware) {
      row.on.push_back(shape_on(row, *machine, question.model, times));
    }
    roofline.rows.push_back(std::move(row));
  }
  if (dropped != 0) {
    roofline.dropped_shapes += dropped;
    roofline.warnings.push_back(fmt::format("{} of the {} shapes of {} are left out: {}", dropped,
                                            op.shapes.size(), op.name, why));
  }
  summary.rows = roofline.rows.size() - summary.first_row;
  if (summary.rows == 0) return;
  summary.middle_row = summary.first_row + summary.rows / 2;
  summary.regime = regime_of(upper_median(std::move(intensities)));
  roofline.operators.push_back(std::move(summary));
}

/// The value of the profile, else the least time of any shape of the catalogue: no faster launch
/// was seen.
std::optional<LaunchFloor> launch_floor(const Catalogue& catalogue, const HardwareProfile& hardware,
                                        KnownTimes& times) {
  if (hardware.launch_floor_ns) {
    return LaunchFloor{.ns = hardware.launch_floor_ns->value, .observed = false};
  }
  std::optional<double> least;
  for (const Operator& op : catalogue.operators) {
    for (const Shape& shape : op.shapes) {
      const auto known = times.of(op, shape, hardware);
      if (known) least = std::min(least.value_or(known->t_ns), known->t_ns);
    }
  }
  if (!least) return std::nullopt;
  return LaunchFloor{.ns = *least, .observed = true};
}

/// S with the launch floor counted in, where there is one.
void count_launches(Roofline& roofline, std::size_t hardware) {
  const std::optional<LaunchFloor>& floor = roofline.launch_floors[hardware];
  if (!floor) return;
  for (RooflineRow& row : roofline.rows) {
    ShapeOnHardware& on = row.on[hardware];
    if (on.s) on.s_with_launch = std::max(on.bound->t_ns, floor->ns) / *on.t_prod_ns;
  }
}

void summarise(Roofline& roofline, std::size_t hardware) {
  for (OperatorSummary& summary : roofline.operators) {
    summary.median_s.push_back(median_of(roofline, summary, hardware, &ShapeOnHardware::s));
    summary.median_s_printed.push_back(
        median_of(roofline, summary, hardware, &ShapeOnHardware::s_printed));
  }
  roofline.scores.push_back(score_of(roofline, hardware));
}

/// Says which peaks a machine lacks, and how many shapes have no bound because of that.
void warn_of_missing_peaks(Roofline& roofline, std::size_t hardware) {
  const HardwareProfile& machine = *roofline.hardware[hardware];
  std::map<std::pair<Engine, NumberType>, std::size_t> missing;
  for (const RooflineRow& row : roofline.rows) {
    if (row.on[hardware].bound) continue;
    for (const Work& work : row.cost.work) {
      if (work.flops > 0 && !machine.peak(work.engine, work.type)) {
        ++missing[{work.engine, work.type}];
      }
    }
  }
  for (const auto& [peak, shapes] : missing) {
    roofline.warnings.push_back(fmt::format(
        "{} has no peak for {} on its {} units: {} {} no bound there", machine.name,
        number_type_name(peak.second), peak.first == Engine::kTensor ? "matrix" : "vector", shapes,
        shapes == 1 ? "shape has" : "shapes have"));
  }
}

void warn_of_impossible_times(Roofline& roofline, std::size_t hardware) {
  std::size_t shapes = 0;
  for (const RooflineRow& row : roofline.rows) shapes += row.on[hardware].s.value_or(0) > 1 ? 1 : 0;
  if (shapes == 0) return;
  roofline.warnings.push_back(fmt::format(
      "{} {} faster than the bound on {} (S above 100%): the data came from a cache, not all was "
      "computed, or the bound is wrong",
      shapes, shapes == 1 ? "shape is" : "shapes are", roofline.hardware[hardware]->name));
}

}  // namespace

Result<Roofline> make_roofline(const Catalogue& catalogue,
                               std::span<const HardwareProfile* const> hardware,
                               std::span<const BaselineTime> baselines,
                               const RooflineQuestion& question) {
  if (Status known = check_question(catalogue, question); !known) return known.error();
  Roofline result;
  result.model = question.model;
  result.hardware.assign(hardware.begin(), hardware.end());
  KnownTimes times(baselines);
  for (const Operator& op : catalogue.operators) {
    result.importance_sum += op.importance;
    if (question.operator_name.empty() || op.name == question.operator_name ||
        op.id == question.operator_name) {
      add_operator(result, op, times, question);
    }
  }
  if (result.rows.empty() && result.dropped_shapes == 0) {
    const bool filtered =
        question.tensor_parallel || !question.framework.empty() || !question.phase.empty();
    return usage_error(filtered ? "no shape of the catalogue matches all of these; drop one of "
                                  "--framework, --tp and --phase"
                                : "the catalogue has no shapes");
  }
  for (std::size_t i = 0; i < hardware.size(); ++i) {
    result.launch_floors.push_back(launch_floor(catalogue, *hardware[i], times));
    count_launches(result, i);
    summarise(result, i);
    warn_of_missing_peaks(result, i);
    warn_of_impossible_times(result, i);
  }
  return result;
}

double printed(double value, int decimals) {
  // fmt rounds the exact value, ties to even; a tie is exact in binary, so it can be told.
  const double scale = std::pow(10.0, decimals);
  const double scaled = value * scale;
  const bool is_exact = std::fma(value, scale, -scaled) == 0;
  if (is_exact && scaled - std::floor(scaled) == 0.5) {
    return (std::floor(scaled) + 1) / scale;
  }
  return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr);
}

}  // namespace tactus
