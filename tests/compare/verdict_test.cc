#include "compare/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compare/rules.h"
#include "compare/thresholds.h"

namespace tactus {
namespace {

/// A run of one process, with cycles that vary a little and counters that do too.
class RunMaker {
 public:
  explicit RunMaker(unsigned seed) : random_(seed) {}

  std::size_t cycles = 12;
  double step_ms = 20;
  double kernel_ms = 6;
  double launch_ms = 5;
  double launches = 700;
  double waits = 1;
  std::string anchor = "step";
  std::string kernel = "nvjet_sm90_tst_64x32_64x16_2x1_v_bz_TNT";
  bool is_trace = true;
  std::map<std::string, double> counters = {{"host_cpu_usage", 6},
                                            {"cpu_frequency", 3500},
                                            {"gpu_sm_frequency", 1980},
                                            {"gpu_usage", 40}};

  ComparedRun make() {
    ComparedRun side;
    side.is_trace = is_trace;
    if (is_trace) side.kind_of_cycle = "step:kernels:16";
    ProcessCost process{.pid = 7, .anchor = anchor};
    FunctionCost gemm{.name = kernel, .type = "gpu_compute", .device = "GPU 0"};
    FunctionCost launch{.name = "cudaLaunchKernel", .type = "cpu_launch", .device = "Host"};
    FunctionCost wait{.name = "cudaStreamSynchronize", .type = "cpu_sync", .device = "Host"};
    for (std::size_t i = 0; i < cycles; ++i) {
      process.cycles.push_back({.number = static_cast<std::int64_t>(i + 1),
                                .ns = vary(step_ms * 1e6),
                                .launches = launches,
                                .phase = is_trace ? Phase::kDecode : Phase::kUnknown,
                                .usable = true});
      add(gemm, kernel_ms, launches);
      add(launch, launch_ms, launches);
      add(wait, 0.01, waits);
    }
    process.functions = {gemm, launch, wait};
    side.processes.push_back(std::move(process));
    for (const auto& [name, level] : counters) {
      CounterValues levels{.counter = name,
                           .device = name.starts_with("gpu") ? "GPU 0" : "Host",
                           .values = {},
                           .coverage = {}};
      for (int i = 0; i < 30; ++i) levels.values.push_back(vary(level));
      side.counters.push_back(std::move(levels));
    }
    side.has_host = true;
    return side;
  }

 private:
  double vary(double value) {
    return value * (1 + 0.02 * (static_cast<double>(random_() % 1000) / 1000 - 0.5));
  }
  void add(FunctionCost& function, double ms, double count) {
    function.ns.push_back(vary(ms * 1e6));
    function.count.push_back(count);
  }

  std::mt19937 random_;
};

Comparison compare(RunMaker& normal, RunMaker& abnormal) {
  return compare_runs(normal.make(), abnormal.make(), Thresholds());
}

TEST(Verdict, of_two_equal_runs_blames_nothing) {
  RunMaker a(1);
  RunMaker b(2);
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(comparison.comparable);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone);
  EXPECT_NEAR(comparison.change->ratio, 1, 0.02);
  EXPECT_LE(comparison.change->low, comparison.change->ratio);
  EXPECT_GE(comparison.change->high, comparison.change->ratio);
}

TEST(Verdict, names_the_resource_that_moved_in_its_harmful_direction) {
  struct Case {
    std::string counter;
    double level;
    VerdictClass expected;
  };
  for (const Case& fault : {Case{"host_cpu_usage", 95, VerdictClass::kCpuContention},
                            Case{"cpu_frequency", 900, VerdictClass::kCpuFrequency}}) {
    RunMaker a(1);
    RunMaker b(2);
    b.counters[fault.counter] = fault.level;
    b.step_ms = 60;
    b.launch_ms = 20;
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict, fault.expected) << fault.counter;
    EXPECT_EQ(comparison.verdict.resource, fault.counter);
    EXPECT_NEAR(comparison.change->ratio, 3, 0.1);
    EXPECT_TRUE(comparison.counter_shifts.front().is_cause);
  }
}

TEST(Verdict, takes_a_clock_that_rose_and_usage_that_changed_for_symptoms) {
  RunMaker a(1);
  RunMaker b(2);
  a.counters["gpu_sm_frequency"] = 1000;
  b.counters["gpu_usage"] = 90;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kNone);
}

TEST(Verdict, blames_a_gpu_clock_only_if_kernels_took_longer) {
  RunMaker a(1);
  RunMaker b(2);
  b.counters["gpu_sm_frequency"] = 600;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kNone);
  b.kernel_ms = 18;
  b.step_ms = 32;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuClock);
}

TEST(Verdict, finds_another_user_of_the_gpu_by_slow_kernels_at_a_full_clock) {
  RunMaker a(1);
  RunMaker b(2);
  b.kernel_ms = 14;
  b.step_ms = 28;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuContention);
}

TEST(Verdict, puts_changed_work_before_resources) {
  RunMaker a(1);
  RunMaker b(2);
  b.counters["host_cpu_usage"] = 95;
  ComparedRun normal = a.make();
  ComparedRun abnormal = b.make();
  normal.batch = 32;
  abnormal.batch = 48;
  Comparison comparison = compare_runs(normal, abnormal, Thresholds());
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged);
  EXPECT_EQ(comparison.also, std::vector<VerdictClass>{VerdictClass::kCpuContention});

  abnormal.batch = 32;
  const auto decode = static_cast<std::size_t>(Phase::kDecode);
  normal.rows_of_products[decode] = {{"32", 1.0}};
  abnormal.rows_of_products[decode] = {{"48", 1.0}};
  comparison = compare_runs(normal, abnormal, Thresholds());
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged);
}

TEST(Verdict, notices_other_kernels_and_added_waits) {
  RunMaker a(1);
  RunMaker b(2);
  b.kernel = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn";
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kKernelsChanged);
  RunMaker c(3);
  c.waits = 17;
  const Comparison comparison = compare(a, c);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kSyncAdded);
  EXPECT_EQ(comparison.verdict.resource, "cudaStreamSynchronize");
}

TEST(Verdict, says_unknown_where_a_step_is_slower_and_nothing_explains_it) {
  RunMaker a(1);
  RunMaker b(2);
  b.step_ms = 30;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown);
  EXPECT_FALSE(comparison.not_known.empty());
}

TEST(Verdict, compares_launches_where_cycles_are_of_different_kinds) {
  RunMaker step(1);
  RunMaker layer(2);
  step.is_trace = layer.is_trace = false;
  layer.anchor = "layer";
  layer.cycles = 200;
  layer.launches = 700.0 / 64;
  layer.step_ms = 20 * 3.6 / 64;
  layer.kernel_ms = 6.0 / 64;
  layer.launch_ms = 5 * 3.6 / 64;
  layer.counters["cpu_frequency"] = 900;
  const Comparison comparison = compare(step, layer);
  EXPECT_TRUE(comparison.comparable);
  EXPECT_EQ(comparison.comparability.aligned_by, "per_launch");
  EXPECT_EQ(comparison.change->unit, "launch");
  EXPECT_NEAR(comparison.change->ratio, 3.6, 0.05);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuFrequency);
}

TEST(Verdict, says_which_counters_have_samples_in_few_cycles_only) {
  RunMaker a(1);
  RunMaker b(2);
  ComparedRun normal = a.make();
  ComparedRun abnormal = b.make();
  for (ComparedRun* side : {&normal, &abnormal}) {
    for (CounterValues& values : side->counters) values.coverage = 0.9;
  }
  const auto says_it = [&] {
    const Comparison comparison = compare_runs(normal, abnormal, {});
    return std::any_of(
        comparison.evidence.begin(), comparison.evidence.end(), [](const std::string& text) {
          return text.starts_with("In at least one run, fewer than 50% of the cycles") &&
                 text.find("cpu_frequency (90% and 20%)") != std::string::npos;
        });
  };
  EXPECT_FALSE(says_it());
  for (CounterValues& values : abnormal.counters) {
    if (values.counter == "cpu_frequency") values.coverage = 0.2;
  }
  EXPECT_TRUE(says_it());
}

TEST(Verdict, gives_no_percentages_for_runs_that_have_nothing_in_common) {
  RunMaker a(1);
  RunMaker b(2);
  a.is_trace = b.is_trace = false;
  b.anchor = "other";
  b.kernel = "other_kernel";
  b.launches = 10;
  const Comparison comparison = compare(a, b);
  EXPECT_FALSE(comparison.comparable);
  EXPECT_FALSE(comparison.change);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNotComparable);
}

TEST(Verdict, of_an_empty_run_says_what_is_missing) {
  RunMaker a(1);
  for (const bool empty_first : {true, false}) {
    const ComparedRun empty;
    const ComparedRun full = a.make();
    const Comparison comparison =
        empty_first ? compare_runs(empty, full, {}) : compare_runs(full, empty, {});
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNotComparable);
    EXPECT_FALSE(comparison.comparability.reasons.empty());
  }
}

TEST(Verdict, of_one_cycle_each_has_an_interval_and_no_findings_by_chance) {
  RunMaker a(1);
  RunMaker b(2);
  a.cycles = b.cycles = 1;
  a.counters.clear();
  b.counters.clear();
  b.step_ms = 25;
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(comparison.comparable);
  EXPECT_NEAR(comparison.change->ratio, 1.25, 0.05);
  for (const TimeBreakdownRow& row : comparison.time_breakdown) EXPECT_FALSE(row.q);
}

TEST(Rules, say_what_they_looked_at_on_which_device) {
  RunMaker a(1);
  RunMaker b(2);
  a.counters["gpu_temp"] = 60;
  b.counters["gpu_temp"] = 91;
  b.counters["cpu_frequency"] = 900;
  const std::vector<RuleResult> rules = apply_rules(a.make(), b.make(), Thresholds());
  const auto holds = [&](std::string_view rule) {
    for (const RuleResult& result : rules) {
      if (result.rule == rule) return result.holds;
    }
    return false;
  };
  EXPECT_TRUE(holds("gpu_too_hot"));
  EXPECT_TRUE(holds("cpu_clock_low"));
  EXPECT_FALSE(holds("host_memory_low"));
}

TEST(Thresholds, are_set_by_name_and_refuse_what_they_do_not_know) {
  Thresholds thresholds;
  EXPECT_TRUE(
      read_thresholds("# mine\nstep_changed = 1.5\n\n gpu_temp_high=70 # warm\n", "t", thresholds));
  EXPECT_EQ(thresholds.step_changed, 1.5);
  EXPECT_EQ(thresholds.gpu_temp_high, 70);
  EXPECT_FALSE(read_thresholds("nonsense = 1", "t", thresholds));
  for (const char* value : {"much", "nan", "inf", "1e999", "-1", "", "0x1"}) {
    EXPECT_FALSE(read_thresholds(std::string("step_changed = ") + value, "t", thresholds)) << value;
  }
  EXPECT_TRUE(read_thresholds(thresholds_text(thresholds), "t", thresholds));
}

}  // namespace
}  // namespace tactus
