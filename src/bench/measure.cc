#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/trial/trial.h"
#include "bounds/roofline/speed_of_light.h"

namespace tactus {
namespace {

/// Tokens of reshape_and_cache that are stored: one in 16 is padding, and so is the one of slot 0.
/// Draws differ by three deviations.
double fewest_stored(std::int64_t tokens) {
  constexpr double kPadding = 1.0 / 16;
  const auto others = static_cast<double>(tokens - 1);
  const double padded =
      std::min(others, kPadding * others + 1 + 3 * std::sqrt(kPadding * (1 - kPadding) * others));
  return static_cast<double>(tokens) - std::floor(padded);
}

/// Rows of a table that `rows` random ids name, some of them twice. Their number spreads less than
/// if each row were named or not by itself: by the root of its mean at most.
double fewest_distinct(double rows, double table_rows) {
  constexpr double kDeviations = 6;
  const double mean = -table_rows * std::expm1(rows * std::log1p(-1 / table_rows));
  return std::max(1.0, std::floor(mean - kDeviations * std::sqrt(mean)));
}

/// The least work of any kernel on inputs as they are drawn here.
Result<Cost> cost_as_drawn(const Operator& op, const Shape& shape) {
  const ShapeParameters& parameters = shape.parameters;
  const std::int64_t tokens = parameters.find("tokens").value_or(0);
  const std::int64_t rows = parameters.find("rows").value_or(0);
  const std::int64_t table_rows = parameters.find("table_rows").value_or(0);
  Shape drawn = shape;
  if (op.name == "reshape_and_cache" && tokens >= 1) {
    drawn.draw.emplace_back("stored", static_cast<std::int64_t>(fewest_stored(tokens)));
  }
  if (op.name == "gather" && rows >= 1 && table_rows >= 1) {
    drawn.draw.emplace_back("distinct_rows",
                            static_cast<std::int64_t>(fewest_distinct(
                                static_cast<double>(rows), static_cast<double>(table_rows))));
  }
  return cost_of(op.name, drawn, CostModel::kStrict);
}

std::uint64_t bytes_if_memory_bounds(const Cost& cost, const HardwareProfile& hardware) {
  const std::optional<SpeedOfLight> bound = speed_of_light(cost, hardware, CostModel::kStrict);
  const double memory_ns = cost.bytes() / hardware.memory_bandwidth.value * 1e9;
  const bool memory_bounds = bound && memory_ns > 0.999 * bound->t_ns;
  return memory_bounds ? static_cast<std::uint64_t>(cost.bytes()) : 0;
}

}  // namespace

BenchRow measure(const Operator& op, const Shape& shape, const Candidate& candidate,
                 const HardwareProfile* hardware, const MeasureOptions& options) {
  BenchRow row;
  row.operator_name = op.name;
  row.shape_id = shape.id;
  row.candidate = candidate.name;
  const auto refuse = [&row](BenchStatus status, std::string why) {
    row.status = status;
    row.reason = std::move(why);
    return row;
  };
  const Result<Cost> cost = cost_as_drawn(op, shape);
  if (!cost) return refuse(BenchStatus::kSkipped, cost.error().message);
  if (cost->flops() > options.largest_flops) {
    return refuse(BenchStatus::kSkipped,
                  fmt::format("{:.2g} FLOP are more than {:.2g}, the limit here", cost->flops(),
                              options.largest_flops));
  }
  const Result<const OperatorDefinition*> definition = find_definition(op.name);
  if (!definition) return refuse(BenchStatus::kSkipped, definition.error().message);
  const Result<Problem> problem = make_problem(**definition, shape.parameters);
  if (!problem) return refuse(BenchStatus::kSkipped, problem.error().message);
  const std::uint64_t copied =
      hardware != nullptr && options.beside_copies ? bytes_if_memory_bounds(*cost, *hardware) : 0;
  MeasureMemory own_memory;
  MeasureMemory& memory = options.memory != nullptr ? *options.memory : own_memory;
  run_trial(
      {.definition = **definition, .problem = *problem, .options = options, .copied_bytes = copied},
      candidate, memory, row);
  if (hardware != nullptr) add_bound(row, op, shape, *hardware);
  return row;
}

void add_bound(BenchRow& row, const Operator& op, const Shape& shape,
               const HardwareProfile& hardware) {
  if (row.status == BenchStatus::kImpossible) {  // by another bound
    row.status = BenchStatus::kOk;
    row.reason.clear();
  }
  if (row.status != BenchStatus::kOk) return;
  const Result<Cost> cost = cost_as_drawn(op, shape);
  if (!cost) return;
  const std::optional<SpeedOfLight> bound = speed_of_light(*cost, hardware, CostModel::kStrict);
  if (!bound) return;
  row.t_sol_ns = bound->t_ns;
  if (!row.t_ns || *row.t_ns <= 0) return;
  row.s = bound->t_ns / *row.t_ns;
  row.s_with_launch = std::max(bound->t_ns, row.launch_floor_ns.value_or(0)) / *row.t_ns;
  const double slowest_ns =
      std::max(*row.t_ns, row.t_high_ns.value_or(0)) + row.clock_noise_ns.value_or(0);
  if (slowest_ns >= bound->t_ns) return;
  row.status = BenchStatus::kImpossible;
  row.reason = fmt::format(
      "S = {:.3g}: it takes {:.4g} us and the bound is {:.4g} us. Look for work that is skipped, "
      "or "
      "done by other threads, streams or earlier calls; then for data that stays in a cache; then "
      "at the bound: is {} the profile of this machine?",
      *row.s, *row.t_ns / 1e3, bound->t_ns / 1e3, hardware.name);
  row.s.reset();
  row.s_with_launch.reset();
}

}  // namespace tactus
