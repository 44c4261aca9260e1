#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "measure/measurement.h"
#include "names/function_type.h"
#include "names/kernel_name.h"
#include "run/pattern_columns.h"

namespace tactus {
namespace {

/// The part that a function's time on the device goes to; nothing for the host.
std::optional<Part> part_of_function(std::string_view type, std::string_view name) {
  if (type == "gpu_compute" || type == "gpu_comm") {
    return type == "gpu_comm" ? part_of(Family::kCollective)
                              : part_of(decode_kernel_name(name).family);
  }
  if (type == "gpu_memcpy_h2d") return Part::kCopyToDevice;
  if (type == "gpu_memcpy_d2h") return Part::kCopyFromDevice;
  if (type == "gpu_memcpy_d2d") return Part::kCopyOnDevice;
  if (type == "gpu_memset") return Part::kFill;
  return std::nullopt;
}

std::optional<Effort> effort_of(std::string_view type) {
  if (type == "gpu_compute") return Effort::kKernels;
  if (type == "gpu_comm") return Effort::kCollectives;
  if (type == "gpu_memcpy_h2d") return Effort::kCopiesToDevice;
  if (type == "gpu_memcpy_d2h") return Effort::kCopiesFromDevice;
  // Time on a core, or without one, is the host's work where calls were not recorded.
  if (type == "cpu_launch" || type == "oncpu" || type == "runq") return Effort::kLaunchCalls;
  if (type == "cpu_sync") return Effort::kWaitCalls;
  if (type == "cpu_memcpy") return Effort::kCopyCalls;
  return std::nullopt;
}

class PatternMeasurement final : public Measurement {
 public:
  explicit PatternMeasurement(const Run& run) : patterns_(run.patterns), strings_(run.strings) {
    for (std::size_t row = 0; row < patterns_.rows; ++row) read(row);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) finish(rank);
  }

  FunctionCosts functions(std::size_t rank) const override {
    FunctionCosts found;
    for (const auto& [key, function] : functions_) {
      if (std::get<0>(key) != rank || !function.part) continue;
      const auto number = static_cast<std::uint32_t>(found.functions.size());
      found.functions.push_back(
          {.name = std::string(string(std::get<1>(key))), .part = *function.part});
      for (const auto& [cycle, cost] : function.costs) {
        const std::uint32_t step = step_of_cycle_[rank][cycle];
        if (step == UINT32_MAX) continue;
        found.costs.push_back({.function = number,
                               .step = step,
                               .count = static_cast<float>(cost.count),
                               .ns = cost.ns});
      }
    }
    return found;
  }

 private:
  struct Cost {
    double ns = 0;
    double count = 0;
  };
  struct Function {
    std::optional<Part> part;
    std::optional<Effort> effort;
    bool is_kernel = false;
    std::map<std::size_t, Cost> costs;  ///< by cycle of the rank
  };
  /// Rank, name and device.
  using Key = std::tuple<std::size_t, std::int64_t, std::int64_t>;

  std::int64_t whole(std::size_t row, Patterns::ColumnIndex column) const {
    return patterns_.column(column)[row];
  }
  std::string_view string(std::int64_t id) const {
    return strings_[StringId(static_cast<std::uint64_t>(id))];
  }
  std::string_view text(std::size_t row, Patterns::ColumnIndex column) const {
    return string(whole(row, column));
  }
  double number(std::size_t row, Patterns::ColumnIndex column) const {
    return Decimal::to_double(whole(row, column), strings_);
  }

  void read(std::size_t row) {
    const std::size_t rank = rank_of(row);
    const std::int64_t number_of_cycle = whole(row, Patterns::kCycle);
    const auto [cycle, is_new] =
        cycle_of_number_.try_emplace({rank, number_of_cycle}, lengths_[rank].size());
    if (is_new) lengths_[rank].push_back(number(row, Patterns::kAnchorDurUs) * 1000);
    const auto [at, is_new_function] = functions_.try_emplace(
        Key(rank, whole(row, Patterns::kFunction), whole(row, Patterns::kDevice)));
    Function& function = at->second;
    if (is_new_function) {
      std::string_view type = text(row, Patterns::kFuncType);
      // Files may lack the type; an unknown function on a GPU counts as a kernel.
      if (type.empty() && text(row, Patterns::kDevice).starts_with("GPU")) type = "gpu_compute";
      function.part = part_of_function(type, text(row, Patterns::kFunction));
      function.effort = effort_of(type);
      const std::string_view device = text(row, Patterns::kDevice);
      if (function.part && device.starts_with("GPU")) ranks[rank].device = device;
      function.is_kernel = type == "gpu_compute" || type == "gpu_comm";
      has_host = has_host || (!function.part && !type.empty());
    }
    // Rows of one function differ in the metric only, so the cost is set, not added.
    const double us = number(row, Patterns::kDurationUs);
    const std::int64_t instances = whole(row, Patterns::kInstances);
    function.costs[cycle->second] = {
        .ns = std::isfinite(us) ? us * 1000 : 0,
        .count = instances == kUnknownInstances ? 1 : static_cast<double>(instances)};
  }

  std::size_t rank_of(std::size_t row) {
    const std::int64_t pid = whole(row, Patterns::kPid);
    const auto [at, is_new] = rank_of_pid_.try_emplace(pid, ranks.size());
    if (is_new) {
      RankMeasure& rank = ranks.emplace_back();
      rank.pid = pid;
      rank.pid_text = std::to_string(pid);
      rank.host = text(row, Patterns::kHost);
      rank.anchor = text(row, Patterns::kAnchor);
      lengths_.emplace_back();
    }
    return at->second;
  }

  void finish(std::size_t index) {
    RankMeasure& rank = ranks[index];
    const std::size_t cycles = lengths_[index].size();
    std::vector<double> launches(cycles, 0);
    for (const auto& [key, function] : functions_) {
      if (std::get<0>(key) != index || !function.is_kernel) continue;
      for (const auto& [cycle, cost] : function.costs) launches[cycle] += cost.count;
    }
    step_of_cycle_.emplace_back(cycles, UINT32_MAX);
    for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
      const double ns = lengths_[index][cycle];
      if (!(launches[cycle] > 0) || !std::isfinite(ns) || !(ns > 0)) continue;
      step_of_cycle_[index][cycle] = static_cast<std::uint32_t>(rank.steps.size());
      rank.steps.push_back({.ns = ns, .launches = launches[cycle]});
    }
    add_costs(index, rank);
    add_idle(rank);
  }

  void add_costs(std::size_t index, RankMeasure& rank) {
    const std::size_t steps = rank.steps.size();
    for (const auto& [key, function] : functions_) {
      if (std::get<0>(key) != index) continue;
      for (const auto& [cycle, cost] : function.costs) {
        const std::uint32_t step = step_of_cycle_[index][cycle];
        if (step == UINT32_MAX) continue;
        if (function.part) {
          std::vector<double>& part = rank.parts[static_cast<std::size_t>(*function.part)];
          if (part.empty()) part.assign(steps, 0);
          part[step] += cost.ns;
        }
        if (function.effort) {
          EffortColumns& effort = rank.efforts[static_cast<std::size_t>(*function.effort)];
          if (effort.ns.empty()) {
            effort.ns.assign(steps, 0);
            effort.count.assign(steps, 0);
          }
          effort.ns[step] += cost.ns;
          effort.count[step] += static_cast<float>(cost.count);
        }
      }
    }
  }

  /// What the device does not fill. Work that ran side by side is counted twice in patterns; it is
  /// scaled down to the length of the step.
  static void add_idle(RankMeasure& rank) {
    std::vector<double>& idle = rank.parts[static_cast<std::size_t>(Part::kUnknownIdle)];
    idle.assign(rank.steps.size(), 0);
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
      double busy = 0;
      for (std::size_t part = 0; part + 1 < kParts; ++part) {
        if (!rank.parts[part].empty()) busy += rank.parts[part][step];
      }
      const double ns = rank.steps[step].ns;
      idle[step] = std::max(0.0, ns - busy);
      if (busy <= ns) continue;
      for (std::size_t part = 0; part + 1 < kParts; ++part) {
        if (!rank.parts[part].empty()) rank.parts[part][step] *= ns / busy;
      }
    }
  }

  const Patterns& patterns_;
  const StringPool& strings_;
  std::map<std::int64_t, std::size_t> rank_of_pid_;
  std::map<std::pair<std::size_t, std::int64_t>, std::size_t> cycle_of_number_;
  std::vector<std::vector<double>> lengths_;               ///< [ns] by rank and cycle
  std::vector<std::vector<std::uint32_t>> step_of_cycle_;  ///< by rank and cycle
  std::map<Key, Function> functions_;
};

}  // namespace

std::unique_ptr<Measurement> measure_patterns(const Run& run) {
  return std::make_unique<PatternMeasurement>(run);
}

}  // namespace tactus
