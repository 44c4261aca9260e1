#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "explain/verdict.h"

namespace tactus::made {

constexpr std::size_t column(Part part) {
  return static_cast<std::size_t>(part);
}

class MadeMeasurement final : public Measurement {
 public:
  FunctionCosts functions(std::size_t rank) const override { return costs[rank]; }

  std::vector<FunctionCosts> costs;  ///< by rank
};

/// Steps of one kind.
struct Steps {
  std::size_t count = 40;
  Phase phase = Phase::kDecode;
  std::optional<double> tokens = 32;
  std::optional<double> context;
  double launches = 700;
  double waits = 1;
  double launch_us = 6;  ///< of one call
  double blocks = 100;   ///< per launch; 0 if grids are not known
  double copy_bytes = 0;
  std::optional<double> calls;  ///< that launch the kernels; as many as kernels if not said
  std::map<std::string, double> launches_times;  ///< of a kernel, by its name
  std::map<Part, double> ms = {{part_of(Family::kGemm), 4},
                               {part_of(Family::kAttention), 2},
                               {part_of(Family::kNorm), 1},
                               {Part::kLaunching, 3},
                               {Part::kHostCode, 5}};

  Steps& kernels_times(double factor) {
    for (auto& [part, time] : ms) time *= is_compute_part(part) ? factor : 1;
    return *this;
  }
  Steps& host_times(double factor) {
    for (auto& [part, time] : ms) time *= is_host_part(part) ? factor : 1;
    launch_us *= factor;
    return *this;
  }
};

/// A recording whose steps and counters vary by a percent.
class RunMaker {
 public:
  explicit RunMaker(unsigned seed) : random_(seed) {}

  std::vector<std::vector<Steps>> ranks = {{Steps()}};
  std::string anchor = "step";
  std::string gemm = "nvjet_sm90_tst_64x32_64x16_2x1_v_bz_TNT";
  bool is_trace = true;
  bool kernel_efforts = false;  ///< with the number of kernels per step
  std::map<std::string, double> counters = {{"host_cpu_usage", 6},
                                            {"cpu_frequency", 3500},
                                            {"gpu_sm_frequency", 1980},
                                            {"gpu_usage", 40}};
  std::map<std::string, double> at_times;  ///< other levels of counters, in two samples of five
  std::map<std::string, double> later;     ///< other levels in the second half
  /// How much longer a part takes in a step.
  std::function<double(Part, std::size_t)> stretch = [](Part, std::size_t) { return 1.0; };

  Steps& steps() { return ranks[0][0]; }

  ComparedSide make() {
    ComparedSide side;
    side.recordings.push_back(measurement());
    for (const auto& [name, level] : counters) {
      CounterValues values{.counter = name, .device = name.starts_with("gpu") ? "GPU 0" : "Host"};
      const auto other = at_times.find(name);
      const auto after = later.find(name);
      constexpr std::int64_t kSamples = 60;
      const auto end_ns = static_cast<std::int64_t>(ranks[0][0].count) * kStepNs;
      values.seconds_per_sample = static_cast<double>(end_ns) * 1e-9 / kSamples;
      for (std::int64_t i = 0; i < kSamples; ++i) {
        const bool is_other = i % 5 % 2 == 1 && other != at_times.end();
        const bool is_after = 2 * i >= kSamples && after != later.end();
        values.values.push_back(vary(is_other ? other->second : is_after ? after->second : level));
        values.times_ns.push_back(end_ns / kSamples * i);
      }
      side.counters.push_back(std::move(values));
    }
    return side;
  }

  std::unique_ptr<MadeMeasurement> measurement() {
    auto made = std::make_unique<MadeMeasurement>();
    made->is_trace = is_trace;
    made->has_host = true;
    if (is_trace) made->kind_of_cycle = "step:kernels:16";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      made->costs.emplace_back();
      made->ranks.push_back(rank_of(ranks[i], made->costs.back()));
      if (ranks.size() > 1) made->ranks.back().rank = static_cast<std::int64_t>(i);
    }
    return made;
  }

 private:
  static constexpr std::int64_t kStepNs = 100'000'000;  ///< from step to step

  double vary(double value) {
    return value * (1 + 0.02 * (static_cast<double>(random_() % 1000) / 1000 - 0.5));
  }

  RankMeasure rank_of(const std::vector<Steps>& kinds, FunctionCosts& costs) {
    RankMeasure rank{.pid = 7, .pid_text = "7", .anchor = anchor};
    costs.functions = {{gemm, part_of(Family::kGemm)},
                       {"flash_fwd_kernel", part_of(Family::kAttention)},
                       {"RMSNormKernel", part_of(Family::kNorm)}};
    for (const Steps& kind : kinds) {
      for (std::size_t i = 0; i < kind.count; ++i) add_step(kind, i, rank, costs);
    }
    std::stable_sort(
        costs.costs.begin(), costs.costs.end(),
        [](const FunctionCost& a, const FunctionCost& b) { return a.function < b.function; });
    return rank;
  }

  void add_step(const Steps& kind, std::size_t number, RankMeasure& rank, FunctionCosts& costs) {
    const auto step = static_cast<std::uint32_t>(rank.steps.size());
    double total = 0;
    for (const auto& [part, ms] : kind.ms) {
      std::vector<double>& values = rank.parts[column(part)];
      values.resize(step + 1, 0);
      values[step] = vary(ms * 1e6) * stretch(part, number);
      total += values[step];
    }
    for (std::vector<double>& values : rank.parts) {
      if (!values.empty()) values.resize(step + 1, 0);
    }
    rank.steps.push_back({.start_ns = step * kStepNs,
                          .end_ns = step * kStepNs + static_cast<std::int64_t>(total),
                          .ns = total,
                          .launches = kind.launches,
                          .work = {.phase = is_trace ? kind.phase : Phase::kUnknown,
                                   .tokens = kind.tokens,
                                   .context = kind.context}});
    const double calls = kind.calls.value_or(kind.launches);
    add_effort(rank, Effort::kLaunchCalls, calls, kind.launch_us * 1e3 * calls);
    add_effort(rank, Effort::kWaitCalls, kind.waits, 1e4 * kind.waits);
    if (kind.copy_bytes > 0) {
      add_effort(rank, Effort::kCopiesToDevice, 1, kind.ms.at(Part::kCopyToDevice) * 1e6);
      rank.efforts[static_cast<std::size_t>(Effort::kCopiesToDevice)].bytes.push_back(
          kind.copy_bytes);
    }
    double kernels = 0;
    for (std::uint32_t f = 0; f < costs.functions.size(); ++f) {
      const std::vector<double>& times = rank.parts[column(costs.functions[f].part)];
      const auto more = kind.launches_times.find(costs.functions[f].name);
      const double count =
          kind.launches / 3 * (more == kind.launches_times.end() ? 1 : more->second);
      kernels += count;
      costs.costs.push_back({.function = f,
                             .step = step,
                             .count = static_cast<float>(count),
                             .ns = times.empty() ? 0 : times[step],
                             .blocks = kind.blocks * count});
    }
    if (kernel_efforts) add_effort(rank, Effort::kKernels, kernels, total);
  }

  void add_effort(RankMeasure& rank, Effort effort, double count, double ns) {
    EffortColumns& columns = rank.efforts[static_cast<std::size_t>(effort)];
    columns.count.push_back(static_cast<float>(count));
    columns.ns.push_back(vary(ns));
  }

  std::mt19937 random_;
};

inline Comparison compare(RunMaker& normal, RunMaker& abnormal) {
  ComparedSide a = normal.make();
  ComparedSide b = abnormal.make();
  return tactus::compare(a, b);
}

inline std::vector<VerdictClass> seen_in(const Comparison& comparison) {
  std::vector<VerdictClass> seen;
  for (const SeenRow& row : comparison.seen) seen.push_back(row.verdict);
  return seen;
}

}  // namespace tactus::made
