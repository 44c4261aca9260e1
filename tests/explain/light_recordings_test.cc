// Recordings without times of the device: a step is what the launching thread did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;
using made::seen_in;
using ::testing::HasSubstr;

/// A light recording: what the host did, without times of the device.
std::array<RunMaker, 2> light_runs() {
  std::array<RunMaker, 2> runs = {RunMaker(1), RunMaker(2)};
  for (RunMaker& run : runs) {
    run.steps().ms = {{Part::kDeviceWait, 0.01}, {Part::kLaunching, 3}, {Part::kHostCode, 5}};
  }
  return runs;
}

TEST(LightRecordings, a_longer_wait_for_the_device_is_a_slower_gpu) {
  auto [a, b] = light_runs();
  b.steps().ms[Part::kDeviceWait] = 1;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuSlower) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium);
}

TEST(LightRecordings, another_user_of_the_gpu_is_named_by_its_use) {
  auto [a, b] = light_runs();
  b.steps().ms[Part::kDeviceWait] = 1;
  a.counters["gpu_foreign_usage"] = 0;
  b.counters["gpu_foreign_usage"] = 75;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << comparison.verdict.text;
}

TEST(LightRecordings, one_reading_of_who_holds_memory_is_enough) {
  auto [a, b] = light_runs();
  b.steps().ms[Part::kDeviceWait] = 1;
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  normal.counters.push_back({.counter = "gpu_mem_foreign", .device = "GPU 0", .values = {0, 0}});
  abnormal.counters.push_back({.counter = "gpu_mem_foreign", .device = "GPU 0", .values = {9e8}});
  EXPECT_EQ(compare(normal, abnormal).verdict.verdict, VerdictClass::kGpuContention);
}

TEST(LightRecordings, slower_code_says_nothing_about_the_device) {
  auto [a, b] = light_runs();
  b.steps().ms[Part::kHostCode] = 7;
  a.counters["gpu_foreign_usage"] = 0;
  b.counters["gpu_foreign_usage"] = 75;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
  EXPECT_THAT(comparison.verdict.text, HasSubstr("the host itself needs"));
  EXPECT_EQ(seen_in(comparison), std::vector{VerdictClass::kGpuContention});
}

TEST(LightRecordings, a_thread_without_a_core_seems_to_wait_for_the_device) {
  // A step takes 9 ms then, so a share of 0.1 of its time is all of what it waits longer.
  for (const double waited : {1e3, 3e4, 1.2e5}) {  // us per second
    auto [a, b] = light_runs();
    b.steps().ms[Part::kDeviceWait] = 1;
    b.counters["host_cpu_usage"] = 90;
    a.counters["runq_wait"] = 1e2;
    b.counters["runq_wait"] = waited;
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict,
              waited > 1e5 ? VerdictClass::kCpuContention : VerdictClass::kGpuSlower)
        << comparison.verdict.text;
    EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium) << "the device is not known";
  }
}

TEST(LightRecordings, of_graphs_know_when_the_device_was_done_and_who_waits_longer_has_no_core) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) {
    run->steps().ms = {
        {part_of(Family::kOther), 8}, {Part::kWaitCall, 0.02}, {Part::kHostCode, 0.1}};
  }
  b.steps().ms[Part::kWaitCall] = 2;
  a.counters["runq_wait"] = 1e3;
  b.counters["runq_wait"] = 2.5e5;  // us per second: 2.5 ms of a step of 10 ms
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuContention) << comparison.verdict.text;
}

TEST(LightRecordings, a_process_that_was_stopped_at_times_is_named_by_its_mean) {
  auto [a, b] = light_runs();
  a.counters["process_stopped"] = 0;
  b.counters["process_stopped"] = 0;
  b.at_times["process_stopped"] = 1e6;
  // One step of ten takes longer, so that two fifths of all time are lost.
  b.stretch = [](Part, std::size_t i) { return i % 10 == 9 ? 7.7 : 1.0; };
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "process_stopped") << comparison.verdict.text;
  EXPECT_THAT(comparison.verdict.text, HasSubstr("rose at times, on average from 0% to 40%"));
}

TEST(LightRecordings, another_user_of_the_gpu_goes_before_cores_that_were_waited_for) {
  auto [a, b] = light_runs();
  b.steps().ms[Part::kDeviceWait] = 3;
  a.counters["gpu_foreign_usage"] = 0;
  b.counters["gpu_foreign_usage"] = 75;
  a.counters["runq_wait"] = 1e2;
  b.counters["runq_wait"] = 5e4;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << comparison.verdict.text;
}

TEST(LightRecordings, a_few_waits_of_nearly_nothing_do_not_hide_that_the_others_are_longer) {
  auto [a, b] = light_runs();
  for (RunMaker* run : {&a, &b}) run->steps().ms[Part::kDeviceWait] = 5;
  b.steps().ms[Part::kDeviceWait] = 6.5;
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  for (ComparedSide* side : {&normal, &abnormal}) {
    for (RankMeasure& rank : side->recordings.front()->ranks) {
      std::vector<double>& waits = rank.parts[made::column(Part::kDeviceWait)];
      std::vector<double>& code = rank.parts[made::column(Part::kHostCode)];
      for (std::size_t i = 5; i < waits.size(); i += 9) {
        code[i] += waits[i] - 1;
        waits[i] = 1;  // ns
      }
    }
  }
  EXPECT_EQ(tactus::compare(normal, abnormal).verdict.verdict, VerdictClass::kGpuSlower);
}

}  // namespace
}  // namespace tactus
