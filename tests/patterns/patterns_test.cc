#include "patterns/patterns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "sources/sources.h"
#include "support/files.h"
#include "support/hand_made_run.h"

namespace tactus {
namespace {

using testing::HandMadeRun;

/// "1 100 a gpu_compute GPU 0 gpu_usage beta 20 mu 5 sigma 0 dur 200 x2 **", one a row.
std::vector<std::string> lines(const tactus::Run& run) {
  const Patterns& patterns = run.patterns;
  const auto cell = [&](std::size_t row, Patterns::ColumnIndex column) {
    return patterns.column(column)[row];
  };
  const auto text = [&](std::size_t row, Patterns::ColumnIndex column) {
    return std::string(run.strings[StringId(static_cast<std::uint64_t>(cell(row, column)))]);
  };
  const auto number = [&](std::size_t row, Patterns::ColumnIndex column) {
    const double value = Decimal::to_double(cell(row, column), run.strings);
    return std::isnan(value) ? std::string("-") : fmt::format("{:.6g}", value);
  };
  std::vector<std::string> out;
  for (std::size_t row = 0; row < patterns.rows; ++row) {
    out.push_back(std::to_string(cell(row, Patterns::kCycle)) + " " +
                  std::to_string(cell(row, Patterns::kPid)) + " " + text(row, Patterns::kFunction) +
                  " " + text(row, Patterns::kFuncType) + " " + text(row, Patterns::kDevice) + " " +
                  text(row, Patterns::kMetric) + " beta " + number(row, Patterns::kBetaPct) +
                  " mu " + number(row, Patterns::kMuPct) + " sigma " +
                  number(row, Patterns::kSigmaPct) + " us " + number(row, Patterns::kDurationUs) +
                  " x" + std::to_string(cell(row, Patterns::kInstances)) + " " +
                  text(row, Patterns::kInterpolated));
  }
  return out;
}

std::vector<std::string> lines(HandMadeRun& made) {
  return lines(run_of_patterns(made.run(), made.cycles()));
}

using Lines = std::vector<std::string>;

TEST(Patterns, sum_up_each_function_of_each_cycle) {
  HandMadeRun made;
  made.cycle(0, 1000).kernel("a", 100, 200).kernel("a", 150, 200, 0, 8).kernel("b", 500, 500);
  made.host("cuda_runtime", "cudaLaunchKernel", 10, 20);
  made.host("cpu_op", "aten::mm", 5, 40).kernel("nothing", 600, 0);
  made.cycle(1000, 2000).kernel("a", 1100, 200);
  EXPECT_EQ(lines(made),
            (Lines{"1 100 b gpu_compute GPU 0 N/A beta 50 mu - sigma - us 0.5 x1  ",
                   "1 100 a gpu_compute GPU 0 N/A beta 40 mu - sigma - us 0.4 x2  ",
                   "1 100 cudaLaunchKernel cpu_launch Host N/A beta 2 mu - sigma - us 0.02 x1  ",
                   "2 100 a gpu_compute GPU 0 N/A beta 10 mu - sigma - us 0.2 x1  "}));
}

TEST(Patterns, overlapping_streams_add_up_in_beta) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("a", 0, 100, 0, 7).kernel("a", 0, 100, 0, 8);
  EXPECT_EQ(lines(made),
            (Lines{"1 100 a gpu_compute GPU 0 N/A beta 200 mu - sigma - us 0.2 x2  "}));
}

TEST(Patterns, mu_is_weighted_by_time_and_sigma_is_the_spread_within_slices) {
  HandMadeRun made;
  made.cycle(0, 10000).kernel("a", 1000, 1000).kernel("a", 5000, 3000);
  made.sample("gpu_usage", "GPU 0", 1000, "10").sample("gpu_usage", "GPU 0", 2000, "20");
  made.sample("gpu_usage", "GPU 0", 5000, "60").sample("gpu_usage", "GPU 0", 6000, "60");
  made.sample("gpu_usage", "GPU 0", 8000, "60");
  // 10 to 20 between two samples: 15, spread 5; then three samples of 60.
  // mu = (1000 * 15 + 3000 * 60) / 4000, sigma = sqrt(1000 * 25 / 4000)
  EXPECT_EQ(lines(made), (Lines{"1 100 a gpu_compute GPU 0 gpu_usage beta 40 mu 48.75 sigma 2.5 "
                                "us 4 x2 *"}));
}

TEST(Patterns, the_samples_around_a_cycle_tell_of_it) {
  HandMadeRun made;
  made.cycle(1000, 100).kernel("a", 1000, 100);
  made.sample("gpu_usage", "GPU 0", 0, "0").sample("gpu_usage", "GPU 0", 2000, "100");
  EXPECT_EQ(lines(made), (Lines{"1 100 a gpu_compute GPU 0 gpu_usage beta 100 mu 52.5 sigma 2.5 "
                                "us 0.1 x1 **"}));
}

TEST(Patterns, samples_of_long_ago_tell_nothing) {
  HandMadeRun made;
  made.cycle(9000, 100).kernel("a", 9000, 100);
  made.sample("gpu_usage", "GPU 0", 0, "1").sample("gpu_usage", "GPU 0", 1000, "1");
  EXPECT_EQ(lines(made),
            (Lines{"1 100 a gpu_compute GPU 0 N/A beta 100 mu - sigma - us 0.1 x1  "}));
}

TEST(Patterns, three_samples_in_every_slice_need_no_mark) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("a", 0, 100);
  made.sample("gpu_sm_frequency", "GPU 0", 0, "1000");
  made.sample("gpu_sm_frequency", "GPU 0", 50, "1500");
  made.sample("gpu_sm_frequency", "GPU 0", 100, "2000");
  EXPECT_EQ(lines(made), (Lines{"1 100 a gpu_compute GPU 0 gpu_sm_frequency beta 100 mu 150000 "
                                "sigma 40824.8 us 0.1 x1  "}));
}

TEST(Patterns, counters_belong_to_the_gpu_of_the_kernel) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("a", 0, 50, 0).kernel("a", 0, 40, 1).kernel("a", 0, 30, 2);
  made.sample("gpu_usage", "GPU 0", 0, "10").sample("gpu_usage", "GPU 1", 0, "20");
  EXPECT_EQ(lines(made),
            (Lines{"1 100 a gpu_compute GPU 0 gpu_usage beta 50 mu 10 sigma 0 us 0.05 x1 **",
                   "1 100 a gpu_compute GPU 1 gpu_usage beta 40 mu 20 sigma 0 us 0.04 x1 **",
                   "1 100 a gpu_compute GPU 2 N/A beta 30 mu - sigma - us 0.03 x1  "}));
}

TEST(Patterns, a_gpu_counter_without_a_device_is_for_all) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("a", 0, 50, 3);
  made.sample("gpu_usage", "", 0, "10");
  EXPECT_EQ(lines(made),
            (Lines{"1 100 a gpu_compute GPU 3 gpu_usage beta 50 mu 10 sigma 0 us 0.05 x1 **"}));
}

TEST(Patterns, counters_of_a_process_belong_to_it) {
  HandMadeRun made;
  made.cycle(0, 100, 11).host("cuda_runtime", "cudaLaunchKernel", 0, 10);
  made.cycle(0, 100, 12).host("cuda_runtime", "cudaLaunchKernel", 0, 20);
  made.sample("process_cpu_usage_11", "Host", 0, "110");
  made.sample("process_cpu_usage_12", "Host", 0, "120").sample("host_cpu_usage", "Host", 0, "5");
  EXPECT_EQ(lines(made),
            (Lines{"1 11 cudaLaunchKernel cpu_launch Host host_cpu_usage beta 10 mu 5 sigma 0 "
                   "us 0.01 x1 **",
                   "1 11 cudaLaunchKernel cpu_launch Host process_cpu_usage beta 10 mu 110 "
                   "sigma 0 us 0.01 x1 **",
                   "1 12 cudaLaunchKernel cpu_launch Host host_cpu_usage beta 20 mu 5 sigma 0 "
                   "us 0.02 x1 **",
                   "1 12 cudaLaunchKernel cpu_launch Host process_cpu_usage beta 20 mu 120 "
                   "sigma 0 us 0.02 x1 **"}));
}

TEST(Patterns, unknown_numbers_are_no_samples) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("a", 0, 100);
  made.sample("gpu_usage", "GPU 0", 0, "10").sample("gpu_usage", "GPU 0", 50, "NaN");
  made.sample("gpu_usage", "GPU 0", 100, "10").sample("gpu_power", "GPU 0", 0, "NaN");
  EXPECT_EQ(lines(made),
            (Lines{"1 100 a gpu_compute GPU 0 gpu_usage beta 100 mu 10 sigma 0 us 0.1 x1 **"}));
}

TEST(Patterns, threads_on_cpu_are_one_function_and_join_for_counters) {
  HandMadeRun made;
  made.cycle(0, 1000);
  made.host("CAT_CPU", "oncpu_1", 0, 400, 1).host("CAT_CPU", "oncpu_2", 200, 400, 2);
  made.host("CAT_CPU", "runq", 700, 100);
  made.sample("host_cpu_usage", "Host", 0, "10").sample("host_cpu_usage", "Host", 600, "40");
  // 800 ns of two threads lie in 600 ns, in which the host went from 10 to 40.
  EXPECT_EQ(lines(made),
            (Lines{"1 100 oncpu oncpu Host host_cpu_usage beta 80 mu 25 sigma 15 us 0.8 x2 **",
                   "1 100 runq runq Host host_cpu_usage beta 10 mu 40 sigma 0 us 0.1 x1 **"}));
}

TEST(Patterns, waits_have_no_counters_and_sets_are_no_copies) {
  HandMadeRun made;
  made.cycle(0, 100).host("cuda_runtime", "cudaStreamSynchronize", 0, 50);
  made.device("gpu_memset", "Memset (Device)", 0, 20);
  made.sample("host_cpu_usage", "Host", 0, "10").sample("gpu_pcie_transmit", "GPU 0", 0, "7");
  EXPECT_EQ(
      lines(made),
      (Lines{"1 100 cudaStreamSynchronize cpu_sync Host N/A beta 50 mu - sigma - us 0.05 x1  ",
             "1 100 Memset (Device) gpu_memset GPU 0 N/A beta 20 mu - sigma - us 0.02 x1  "}));
}

TEST(Patterns, cycles_without_functions_or_length_have_no_rows) {
  HandMadeRun made;
  made.cycle(0, 100).cycle(100, 0).kernel("a", 100, 10).cycle(200, 100).kernel("b", 200, 10);
  EXPECT_EQ(lines(made),
            (Lines{"3 100 b gpu_compute GPU 0 N/A beta 10 mu - sigma - us 0.01 x1  "}));
  HandMadeRun empty;
  EXPECT_TRUE(lines(empty).empty());
}

TEST(Patterns, say_when_the_cycle_began_to_the_nanosecond) {
  HandMadeRun made;
  made.run().origin_ns = 1794707064543764933;
  made.cycles().anchor = "step";
  made.cycle(2, 1500).kernel("void f<int>(int)", 2, 10);
  const tactus::Run patterns = run_of_patterns(made.run(), made.cycles());
  const auto raw = [&](Patterns::ColumnIndex column) {
    return patterns.patterns.column(column)[0];
  };
  const auto text = [&](Patterns::ColumnIndex column) {
    return patterns.strings[StringId(static_cast<std::uint64_t>(raw(column)))];
  };
  EXPECT_EQ(Decimal::to_text(raw(Patterns::kCycleStartUs), patterns.strings),
            "1794707064543764.935");
  EXPECT_EQ(Decimal::to_text(raw(Patterns::kAnchorDurUs), patterns.strings), "1.500");
  EXPECT_EQ(text(Patterns::kAnchor), "step");
  EXPECT_EQ(text(Patterns::kFunction), "void f<int>(int)");
  EXPECT_EQ(text(Patterns::kSimpleName), "f");
}

/// Patterns of a shared trace, if it is there.
std::optional<tactus::Run> patterns_of_trace(const std::string& name) {
  const std::optional<std::string> path = testing::shared_file("data/traces/" + name);
  if (!path) return std::nullopt;
  NoProgress progress;
  const auto imported = import_run({.inputs = {*path}}, progress);
  const auto cycles = find_cycles(imported->run, {});
  return run_of_patterns(imported->run, *cycles);
}

TEST(Patterns, of_a_recorded_server_know_their_kernels_launches_and_counters) {
  const std::optional<tactus::Run> run = patterns_of_trace("normal.json.gz");
  if (!run) GTEST_SKIP() << "no shared data";
  std::map<std::string, std::set<std::string>> metrics;  // by function type
  const auto text = [&](std::size_t row, Patterns::ColumnIndex column) {
    return std::string(
        run->strings[StringId(static_cast<std::uint64_t>(run->patterns.column(column)[row]))]);
  };
  for (std::size_t row = 0; row < run->patterns.rows; ++row) {
    metrics[text(row, Patterns::kFuncType)].insert(text(row, Patterns::kMetric));
  }
  EXPECT_TRUE(metrics["gpu_compute"].contains("gpu_sm_frequency"));
  EXPECT_TRUE(metrics["gpu_compute"].contains("gpu_usage"));
  EXPECT_TRUE(metrics["cpu_launch"].contains("host_cpu_usage"));
  EXPECT_EQ(metrics["cpu_sync"], std::set<std::string>{"N/A"});
  EXPECT_GT(run->patterns.rows, 1000U);
}

}  // namespace
}  // namespace tactus
