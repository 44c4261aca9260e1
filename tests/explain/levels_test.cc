// Runs that do not stay at one level, and counters that do not cover them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The kernels of the second half take 1.6 times as long, as the clock says.
std::array<RunMaker, 2> clock_falls() {
  std::array<RunMaker, 2> runs = {RunMaker(1), RunMaker(2)};
  for (RunMaker& run : runs) {
    run.steps().count = 100;
    run.steps().host_times(0.1);
  }
  runs[1].later["gpu_sm_frequency"] = 1980 / 1.6;
  runs[1].stretch = [](Part part, std::size_t i) {
    return is_compute_part(part) && i >= 50 ? 1.6 : 1.0;
  };
  return runs;
}

TEST(Levels, a_level_that_begins_in_the_middle_is_compared_by_itself) {
  auto [a, b] = clock_falls();
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("from step 51 of 100 on"));
  EXPECT_EQ(comparison.change->phase, "decode");
}

TEST(Levels, the_same_is_seen_from_the_other_run) {
  auto [a, b] = clock_falls();
  const Comparison comparison = compare(b, a);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kFaster);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("from step 51 of 100 of the normal run on"));
}

TEST(Levels, a_level_of_the_host_alone_is_not_named) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->steps().count = 100;
  b.stretch = [](Part part, std::size_t i) { return is_host_part(part) && i >= 50 ? 2.0 : 1.0; };
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown) << comparison.verdict.text;
  EXPECT_THAT(comparison.verdict.text, HasSubstr("from step 51 of 100 on"));
}

TEST(Levels, a_phase_that_stays_as_it_was_does_not_hide_one_with_levels) {
  auto [a, b] = clock_falls();
  for (RunMaker* run : {&a, &b}) {
    run->ranks[0].push_back({.count = 20, .phase = Phase::kPrefill, .tokens = 512});
    run->ranks[0].back().host_times(4);
  }
  b.stretch = [](Part part, std::size_t i) { return is_compute_part(part) && i >= 50 ? 1.6 : 1.0; };
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.change->phase, "decode") << comparison.verdict.text;
  EXPECT_NE(comparison.verdict.felt, FeltAs::kSame);
}

TEST(Samples, of_another_time_are_said_to_be) {
  RunMaker a(1);
  RunMaker b(2);
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  abnormal.counters.clear();
  constexpr std::int64_t kHour = 3'600'000'000'000;
  abnormal.ranges = {{.samples = 800,
                      .first_ns = 2 * kHour,
                      .last_ns = 3 * kHour,
                      .begin_ns = 0,
                      .end_ns = kHour}};
  const Comparison comparison = tactus::compare(normal, abnormal);
  EXPECT_THAT(comparison.not_known,
              Contains(HasSubstr("has 800 samples of counters, and none lies in its steps: the "
                                 "first one is 1 h after them")));
}

TEST(Samples, that_end_early_make_no_confidence_high) {
  auto [a, b] = clock_falls();
  b.later.clear();
  b.counters["gpu_sm_frequency"] = 1980 / 1.6;
  b.stretch = [](Part part, std::size_t) { return is_compute_part(part) ? 1.6 : 1.0; };
  for (const std::int64_t last_ns : {90, 50}) {
    ComparedSide normal = a.make();
    ComparedSide abnormal = b.make();
    abnormal.ranges = {{.samples = 60, .inside = 60, .last_ns = last_ns, .end_ns = 100}};
    const Comparison comparison = tactus::compare(normal, abnormal);
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock);
    EXPECT_EQ(comparison.verdict.confidence,
              last_ns == 90 ? Confidence::kHigh : Confidence::kMedium);
    const auto says_so = Contains(HasSubstr("for 50% of the time of its steps only"));
    if (last_ns == 50) {
      EXPECT_THAT(comparison.evidence, says_so);
    } else {
      EXPECT_THAT(comparison.evidence, Not(says_so));
    }
  }
}

TEST(Samples, of_another_device_do_not_say_that_the_clock_is_known) {
  RunMaker a(1);
  RunMaker b(2);
  ComparedSide sides[2] = {a.make(), b.make()};
  for (ComparedSide& side : sides) {
    for (const auto& recording : side.recordings) recording->ranks[0].device = "GPU 0";
    for (CounterValues& values : side.counters) {
      if (values.counter == "gpu_sm_frequency") values.device = "GPU 5";
    }
  }
  EXPECT_THAT(tactus::compare(sides[0], sides[1]).not_known,
              Contains(HasSubstr("clock of the GPU")));
}

/// The sides with only the first readings of the clock.
Comparison compare_with_few_readings(RunMaker& a, RunMaker& b, std::size_t readings) {
  ComparedSide sides[2] = {a.make(), b.make()};
  for (ComparedSide& side : sides) {
    for (CounterValues& values : side.counters) {
      if (values.counter != "gpu_sm_frequency") continue;
      values.values.resize(readings);
      values.times_ns.resize(readings);
    }
  }
  return tactus::compare(sides[0], sides[1]);
}

TEST(Samples, two_of_a_clock_are_enough_if_it_fell_far) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(1.3);
  b.counters["gpu_sm_frequency"] = 1980 / 1.3;
  EXPECT_EQ(compare_with_few_readings(a, b, 2).verdict.verdict, VerdictClass::kGpuClock);

  RunMaker hardly(3);
  hardly.steps().kernels_times(1.04);
  hardly.counters["gpu_sm_frequency"] = 1980 / 1.04;
  EXPECT_NE(compare_with_few_readings(a, hardly, 2).verdict.verdict, VerdictClass::kGpuClock)
      << "readings of a run differ by up to 2%";
}

TEST(Samples, of_several_devices_that_moved_alike_are_counted) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(1.3);
  b.counters["gpu_sm_frequency"] = 1980 / 1.3;
  ComparedSide sides[2] = {a.make(), b.make()};
  const auto says_so = HasSubstr("gpu_sm_frequency of GPU 0 and 1 more (");
  EXPECT_THAT(compare(sides[0], sides[1]).verdict.text, Not(says_so));
  for (ComparedSide& side : sides) {
    CounterValues other = *std::find_if(
        side.counters.begin(), side.counters.end(),
        [](const CounterValues& values) { return values.counter == "gpu_sm_frequency"; });
    other.device = "GPU 1";
    side.counters.push_back(std::move(other));
    side.recordings.front()->ranks[0].device = "GPU 0";
  }
  EXPECT_THAT(compare(sides[0], sides[1]).verdict.text, says_so);
}

TEST(Samples, of_links_are_missing_only_where_ranks_use_links) {
  const auto links = Contains(HasSubstr("traffic over NVLink"));
  RunMaker a(1);
  RunMaker b(2);
  EXPECT_THAT(made::compare(a, b).not_known, Not(links));
  for (RunMaker* run : {&a, &b}) run->ranks.push_back(run->ranks.front());
  EXPECT_THAT(made::compare(a, b).not_known, links);
}

TEST(Ranks, that_the_other_run_lacks_are_in_the_sentence) {
  RunMaker a(1);
  RunMaker b(2);
  a.ranks.resize(2, a.ranks[0]);
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  abnormal.recordings[0]->ranks[0].rank = 0;
  const Comparison comparison = tactus::compare(normal, abnormal);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("1 rank of the normal run is missing"));
  EXPECT_NE(comparison.verdict.confidence, Confidence::kHigh);
}

}  // namespace
}  // namespace tactus
