#include "patterns/pattern_summary.h"

#include <gtest/gtest.h>

#include "support/hand_made_run.h"
#include "views/cycles/patterns_view.h"

namespace tactus {
namespace {

using testing::HandMadeRun;

const ClassTime* find(const PatternSummary& summary, FunctionType type) {
  for (const ClassTime& time : summary.classes) {
    if (time.type == type) return &time;
  }
  return nullptr;
}

TEST(PatternSummary, kernels_on_two_streams_at_once_add_up_only_in_the_plain_sum) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("gemm", 0, 40, 0, 7).kernel("norm", 20, 40, 0, 8);
  made.cycle(100, 100).kernel("gemm", 100, 40);
  const PatternSummary summary = summarise_patterns(made.run(), made.cycles());
  EXPECT_EQ(summary.cycles, 2);
  EXPECT_EQ(summary.cycle_ns, 100);
  ASSERT_EQ(summary.classes.size(), 1U);
  const ClassTime* compute = find(summary, FunctionType::kGpuCompute);
  ASSERT_NE(compute, nullptr);
  EXPECT_EQ(compute->plain_ns, 60);
  EXPECT_EQ(compute->union_ns, 50);
  EXPECT_EQ(summary.gpu_idle_ns, 50);
}

TEST(PatternSummary, cycles_that_are_cut_off_are_left_out_of_averages) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("gemm", 0, 40);
  made.cycle(100, 10).kernel("gemm", 100, 4);
  made.cycles().cycles[1].complete = false;
  const PatternSummary summary = summarise_patterns(made.run(), made.cycles());
  EXPECT_EQ(summary.cycles, 1);
  EXPECT_EQ(find(summary, FunctionType::kGpuCompute)->union_ns, 40);
}

TEST(PatternSummary, of_no_cycles_says_how_many_and_no_more) {
  HandMadeRun made;
  const PatternSummary summary = summarise_patterns(made.run(), made.cycles());
  EXPECT_EQ(summary.cycles, 0);
  EXPECT_EQ(show_patterns_text(summary, made.cycles(),
                               {.patterns = "a.csv", .counters = "b.csv", .rows = 0}, 0),
            "0 cycles: 0 rows in a.csv; counter samples in b.csv\n");
}

TEST(PatternSummary, tells_where_counters_have_samples_and_where_they_do_not) {
  HandMadeRun made;
  made.cycle(0, 100).cycle(100, 100).cycle(200, 100).cycle(900, 100);
  made.sample("gpu_power", "GPU 0", 10, "100").sample("gpu_power", "GPU 0", 90, "100");
  made.sample("gpu_power", "GPU 0", 250, "400").sample("gpu_power", "GPU 0", 400, "400");
  const PatternSummary summary = summarise_patterns(made.run(), made.cycles());
  ASSERT_EQ(summary.counters.size(), 1U);
  const CounterCoverage& power = summary.counters[0];
  EXPECT_EQ(power.samples, 3);
  EXPECT_EQ(power.share, 0.5);
  EXPECT_EQ(power.interpolated, 1);
  EXPECT_EQ(power.unknown, 1);
}

TEST(PatternSummary, a_sample_that_cycles_of_two_processes_share_is_one) {
  HandMadeRun made;
  made.cycle(0, 100, 100).cycle(0, 100, 200);
  made.sample("host_cpu_usage", "Host", 50, "3");
  const PatternSummary summary = summarise_patterns(made.run(), made.cycles());
  ASSERT_EQ(summary.counters.size(), 1U);
  EXPECT_EQ(summary.counters[0].samples, 1);
  EXPECT_EQ(summary.counters[0].share, 1);
}

}  // namespace
}  // namespace tactus
