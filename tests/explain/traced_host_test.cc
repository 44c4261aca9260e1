// Threads that were traced (`record --host`): what the one that launches waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using ::testing::HasSubstr;

/// A run in whose steps the thread that launches waits.
RunMaker with_wait(unsigned seed, Part part, double ms) {
  RunMaker run(seed);
  run.steps().ms[part] = ms;
  return run;
}

TEST(TracedHost, a_thread_without_a_core_shows_cpu_contention) {
  RunMaker a = with_wait(1, Part::kNotOnCore, 0.1);
  RunMaker b = with_wait(2, Part::kNotOnCore, 6);
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuContention) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "cores");
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);
  EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("without a core"));
}

TEST(TracedHost, a_thread_that_waits_for_files_shows_the_disk) {
  RunMaker a = with_wait(1, Part::kDisk, 0.1);
  RunMaker b = with_wait(2, Part::kDisk, 6);
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kDisk) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "files");
  EXPECT_THAT(comparison.verdict.text, HasSubstr("waits for files"));
}

TEST(TracedHost, a_thread_that_waits_for_another_is_a_slower_host) {
  RunMaker a = with_wait(1, Part::kLock, 0.1);
  RunMaker b = with_wait(2, Part::kLock, 6);
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "locks");
  EXPECT_THAT(comparison.verdict.text, HasSubstr("waits for other threads"));
}

TEST(TracedHost, what_only_the_normal_run_waited_for_made_the_other_faster) {
  RunMaker a = with_wait(1, Part::kNotOnCore, 6);
  RunMaker b = with_wait(2, Part::kNotOnCore, 0.1);
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuContention) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "cores");
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kFaster);
}

TEST(TracedHost, a_wait_that_is_a_small_part_of_the_change_is_not_named) {
  RunMaker a = with_wait(1, Part::kLock, 0.1);
  RunMaker b = with_wait(2, Part::kLock, 0.6);
  b.steps().ms[Part::kHostCode] = 12;
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "host code");
}

TEST(TracedHost, kernels_that_became_slower_are_not_put_on_a_wait) {
  RunMaker a = with_wait(1, Part::kDisk, 0.5);
  RunMaker b = with_wait(2, Part::kDisk, 0.7);
  b.steps().kernels_times(2);
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << comparison.verdict.text;
}

TEST(TracedHost, the_load_of_the_machine_and_the_wait_agree_on_one_cause) {
  RunMaker a = with_wait(1, Part::kNotOnCore, 0.1);
  RunMaker b = with_wait(2, Part::kNotOnCore, 12);
  b.counters["host_cpu_usage"] = 98;
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuContention) << comparison.verdict.text;
}

TEST(TracedHost, runs_in_which_nothing_was_traced_name_no_wait) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().host_times(2);
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "launch calls");
}

TEST(Cores, that_others_use_cost_nothing_while_most_are_idle) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().host_times(1.12);
  a.counters["host_cpu_usage"] = 7;
  b.counters["host_cpu_usage"] = 24;
  Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
  EXPECT_EQ(made::seen_in(comparison), std::vector<VerdictClass>{VerdictClass::kCpuContention});

  b.counters["host_cpu_usage"] = 60;
  EXPECT_EQ(made::compare(a, b).verdict.verdict, VerdictClass::kCpuContention);

  // The run's own threads waited for cores: it may be bound to those that are busy.
  b.counters["host_cpu_usage"] = 24;
  a.counters["runq_wait"] = 100;
  b.counters["runq_wait"] = 250'000;
  comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuContention) << comparison.verdict.text;
}

}  // namespace
}  // namespace tactus
