#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using made::compare;
using made::MadeMeasurement;
using made::RunMaker;
using made::seen_in;
using made::Steps;

TEST(Verdict, of_two_equal_runs_blames_nothing) {
  RunMaker a(1);
  RunMaker b(2);
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(comparison.comparable);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSame);
  EXPECT_NEAR(comparison.change->ratio, 1, 0.02);
  EXPECT_LT(comparison.change->low, comparison.change->ratio);
  EXPECT_GT(comparison.change->high, comparison.change->ratio);
}

TEST(Verdict, of_a_recording_and_itself_is_none_however_short_it_is) {
  RunMaker a(1);
  RunMaker same(1);
  a.steps().count = same.steps().count = 2;
  const Comparison comparison = compare(a, same);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
  EXPECT_EQ(comparison.change->ratio, 1);
  EXPECT_TRUE(std::isnan(comparison.change->low)) << "two steps have no interval";
  EXPECT_THAT(comparison.verdict.text, HasSubstr("a decode step takes as long as before, and"));
}

TEST(Verdict, pairs_ranks_by_order_if_they_have_no_number_and_no_device_in_common) {
  ComparedSide sides[2] = {RunMaker(1).make(), RunMaker(2).make()};
  for (int side = 0; side < 2; ++side) sides[side].recordings.front()->ranks.front().rank = side;
  EXPECT_EQ(tactus::compare(sides[0], sides[1]).verdict.verdict, VerdictClass::kNone);
  for (int side = 0; side < 2; ++side) {
    RankMeasure& rank = sides[side].recordings.front()->ranks.front();
    rank.rank.reset();
    rank.device = side == 0 ? "GPU 0" : "GPU 5";
  }
  EXPECT_EQ(tactus::compare(sides[0], sides[1]).verdict.verdict, VerdictClass::kNone);
}

TEST(Verdict, of_ranks_that_cannot_be_paired_is_not_comparable) {
  RunMaker two(2);
  two.ranks = {{Steps()}, {Steps()}};
  ComparedSide sides[2] = {RunMaker(1).make(), two.make()};
  sides[0].recordings.front()->ranks.front().rank = 7;
  sides[0].recordings.front()->ranks.front().device = "GPU 7";
  sides[1].recordings.front()->ranks[0].device = "GPU 0";
  sides[1].recordings.front()->ranks[1].device = "GPU 1";
  const Comparison comparison = tactus::compare(sides[0], sides[1]);
  EXPECT_FALSE(comparison.comparable);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNotComparable);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("neither a rank nor a device in common"));
}

TEST(Verdict, says_which_parts_changed_while_the_step_did_not) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().ms[part_of(Family::kGemm)] = 5;
  b.steps().ms[Part::kHostCode] = 4;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSame);
  EXPECT_THAT(comparison.verdict.text, HasSubstr("gemm takes 1.25 times as long"));
}

TEST(Verdict, a_counter_that_never_moves_did_not_move) {
  RunMaker a(1);
  RunMaker b(2);
  ComparedSide sides[2] = {a.make(), b.make()};
  for (std::size_t side = 0; side < 2; ++side) {
    sides[side].counters.push_back({.counter = "gpu_mem_frequency",
                                    .device = "GPU 0",
                                    .values = std::vector<double>(61 + 30 * side, 3201)});
  }
  for (const CounterShiftRow& row : tactus::compare(sides[0], sides[1]).counter_shifts) {
    if (row.counter != "gpu_mem_frequency") continue;
    EXPECT_EQ(row.ratio, 1);
    EXPECT_EQ(row.q, 1);
  }
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
    b.steps().host_times(3.5);
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict, fault.expected) << comparison.verdict.text;
    EXPECT_EQ(comparison.verdict.resource, fault.counter);
    EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);
    EXPECT_EQ(comparison.verdict.phase, "decode");
    EXPECT_GT(*comparison.verdict.explains, 0.7);
    EXPECT_EQ(comparison.verdict.confidence, Confidence::kHigh);
    EXPECT_NEAR(comparison.change->ratio, 35.0 / 15, 0.05);
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
  const Comparison unfelt = compare(a, b);
  EXPECT_EQ(unfelt.verdict.verdict, VerdictClass::kNone) << unfelt.verdict.text;
  EXPECT_EQ(seen_in(unfelt), std::vector{VerdictClass::kGpuClock});
  b.steps().kernels_times(3.3);
  const Comparison felt = compare(a, b);
  EXPECT_EQ(felt.verdict.verdict, VerdictClass::kGpuClock) << felt.verdict.text;
  EXPECT_TRUE(felt.seen.empty());
}

TEST(Verdict, a_clock_that_is_fifteen_percent_lower_is_enough_if_kernels_follow_it) {
  RunMaker a(1);
  RunMaker b(2);
  b.counters["gpu_sm_frequency"] = 1683;
  b.steps().kernels_times(1.176);
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuClock);
}

TEST(Verdict, finds_another_user_of_the_gpu_by_slow_kernels_at_a_full_clock) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(2);
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuContention);
}

TEST(Verdict, without_a_recorded_clock_slow_kernels_are_a_slower_gpu_of_medium_confidence) {
  RunMaker a(1);
  RunMaker b(2);
  a.counters.erase("gpu_sm_frequency");
  b.counters.erase("gpu_sm_frequency");
  b.steps().kernels_times(2);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuSlower) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium);
}

TEST(Verdict, a_larger_batch_is_changed_work) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().tokens = 48;
  b.steps().kernels_times(1.5);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "tokens");
}

TEST(Verdict, larger_grids_are_changed_work_where_tokens_are_not_known) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->steps().tokens.reset();
  b.steps().kernels_times(2);
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuContention);
  b.steps().blocks *= 2;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
  EXPECT_THAT(comparison.verdict.text, HasSubstr("2.00 times as many blocks"));
}

TEST(Verdict, a_batch_that_explains_six_percent_is_not_why_a_step_takes_twice_as_long) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().tokens = 34;
  b.steps().kernels_times(34.0 / 32).host_times(3);
  b.counters["cpu_frequency"] = 3500.0 / 3;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuFrequency) << comparison.verdict.text;
}

TEST(Verdict, attention_alone_is_slower_where_sequences_are_longer) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().ms[part_of(Family::kAttention)] *= 3.5;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
}

TEST(Verdict, notices_other_kernels_even_if_they_take_as_long) {
  RunMaker a(1);
  RunMaker b(2);
  b.gemm = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn";
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kKernelsChanged) << comparison.verdict.text;
  EXPECT_FALSE(comparison.verdict.explains);
  std::map<std::string, std::string> states;
  for (const TimeBreakdownRow& row : comparison.time_breakdown) {
    if (row.kind == "function") states[row.what] = row.state;
    EXPECT_TRUE(row.state == "changed" || std::isnan(row.ratio)) << row.what;
  }
  EXPECT_EQ(states[a.gemm], "gone");
  EXPECT_EQ(states[b.gemm], "new");
  EXPECT_EQ(states["RMSNormKernel"], "changed");
}

TEST(Verdict, notices_added_waits_felt_or_not) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().waits = 17;
  const Comparison unfelt = compare(a, b);
  EXPECT_EQ(unfelt.verdict.verdict, VerdictClass::kSyncAdded) << unfelt.verdict.text;
  EXPECT_FALSE(unfelt.verdict.explains);
  b.steps().waits = 2;
  b.steps().ms[Part::kHostCode] = 12;
  const Comparison felt = compare(a, b);
  EXPECT_EQ(felt.verdict.verdict, VerdictClass::kSyncAdded) << felt.verdict.text;
  EXPECT_EQ(felt.verdict.felt, FeltAs::kSlower);
}

TEST(Verdict, two_steps_that_wait_once_more_added_no_wait) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) {
    Steps prefill = run->steps();
    prefill.phase = Phase::kPrefill;
    prefill.tokens = 4000;
    prefill.count = 2;
    prefill.waits = run == &a ? 8 : 9;
    run->ranks[0].push_back(prefill);
  }
  EXPECT_NE(compare(a, b).verdict.verdict, VerdictClass::kSyncAdded);
  for (RunMaker* run : {&a, &b}) run->ranks[0].back().count = 12;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kSyncAdded);
}

TEST(Verdict, the_same_copies_at_fewer_bytes_per_second_are_the_link) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) {
    run->steps().ms[Part::kCopyToDevice] = 6;
    run->steps().copy_bytes = 64e6;
  }
  b.steps().ms[Part::kCopyToDevice] = 12;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kPcie) << comparison.verdict.text;
}

TEST(Verdict, copies_that_kernels_hid_before_are_the_link_too) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) {
    run->steps().ms[Part::kCopyToDevice] = 1;  // the rest runs beside kernels
    run->steps().copy_bytes = 64e6;
  }
  b.steps().ms[Part::kCopyToDevice] = 7;
  ComparedSide sides[2] = {a.make(), b.make()};
  for (std::size_t side = 0; side < 2; ++side) {
    RankMeasure& rank = sides[side].recordings.front()->ranks.front();
    for (double& ns : rank.efforts[static_cast<std::size_t>(Effort::kCopiesToDevice)].ns) {
      ns = side == 0 ? 4e6 : 10e6;
    }
  }
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kPcie) << comparison.verdict.text;
  EXPECT_GT(comparison.verdict.explains.value_or(0), 0.9);
}

TEST(Verdict, own_memory_and_own_traffic_are_nobody_elses) {
  RunMaker a(1);
  RunMaker b(2);
  a.counters["gpu_mem_used"] = 40e9;
  b.counters["gpu_mem_used"] = 60e9;
  const Comparison unknown_owner = compare(a, b);
  EXPECT_EQ(unknown_owner.verdict.verdict, VerdictClass::kNone) << unknown_owner.verdict.text;
  a.counters["process_gpu_mem_usage"] = 39e9;
  b.counters["process_gpu_mem_usage"] = 59e9;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kNone);

  RunMaker slow(3);
  RunMaker fast(4);
  fast.steps().kernels_times(0.67).host_times(0.67);
  slow.counters["gpu_link_transmit"] = 10e9;
  fast.counters["gpu_link_transmit"] = 15e9;
  const Comparison comparison = compare(slow, fast);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kNvlink) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kFaster);
}

TEST(Verdict, faster_runs_have_the_same_causes_reversed) {
  RunMaker a(1);
  RunMaker b(2);
  a.counters["cpu_frequency"] = 900;
  a.steps().host_times(3.5);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuFrequency) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kFaster);
}

TEST(Verdict, a_phase_that_regressed_is_the_headline_while_the_other_is_as_it_was) {
  Steps prefill;
  prefill.count = 20;
  prefill.phase = Phase::kPrefill;
  prefill.tokens = 2000;
  RunMaker a(1);
  RunMaker b(2);
  a.ranks[0].push_back(prefill);
  b.ranks[0].push_back(prefill.kernels_times(3));
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.change->phase, "prefill");
  EXPECT_EQ(comparison.verdict.phase, "prefill");
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << comparison.verdict.text;
  ASSERT_EQ(comparison.change->by_phase.size(), 2U);
  EXPECT_NEAR(comparison.change->by_phase[0].ratio, 1, 0.02) << "decode";
}

TEST(Verdict, another_mix_of_phases_is_no_change) {
  Steps prefill;
  prefill.count = 10;
  prefill.phase = Phase::kPrefill;
  prefill.tokens = 2000;
  prefill.kernels_times(10);
  RunMaker a(1);
  RunMaker b(2);
  a.ranks[0].push_back(prefill);
  prefill.count = 30;
  b.ranks[0].push_back(prefill);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
}

TEST(Verdict, a_rank_that_became_slower_than_the_others_is_named) {
  RunMaker a(1);
  RunMaker b(2);
  a.ranks = b.ranks = {{Steps()}, {Steps()}};
  b.ranks[1][0].host_times(6);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kStraggler) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.rank, 1);
  EXPECT_GT(comparison.change->low, 2) << "the job is as slow as its slowest rank";
  ASSERT_EQ(comparison.change->by_rank.size(), 2U);
  EXPECT_NEAR(comparison.change->by_rank[0].ratio, 1, 0.02);
}

TEST(Verdict, a_rank_that_is_late_no_more_did_not_make_the_job_slower) {
  RunMaker a(1);
  RunMaker b(2);
  a.ranks = b.ranks = {{Steps()}, {Steps()}};
  a.ranks[0][0].host_times(2);
  b.ranks[0][0].host_times(2);
  b.ranks[1][0].kernels_times(4);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.rank.value_or(1), 1) << comparison.verdict.text;
  EXPECT_THAT(comparison.verdict.text, Not(HasSubstr("not late any more")));
}

TEST(Verdict, a_rank_that_changed_a_little_more_than_the_others_is_not_why_all_did) {
  RunMaker a(1);
  RunMaker b(2);
  a.ranks = b.ranks = {{Steps()}, {Steps()}};
  for (RunMaker* run : {&a, &b}) run->counters.erase("gpu_sm_frequency");
  b.ranks[0][0].kernels_times(2);
  b.ranks[1][0].kernels_times(2.2);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuSlower) << comparison.verdict.text;
}

TEST(Verdict, a_clock_that_is_low_for_a_part_of_the_time_is_the_clock) {
  RunMaker a(1);
  RunMaker b(2);
  b.at_times["gpu_sm_frequency"] = 990;
  b.stretch = [](Part part, std::size_t i) {
    return is_compute_part(part) && i % 5 % 2 == 1 ? 2.0 : 1.0;
  };
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
}

TEST(Verdict, some_steps_that_stall_are_said_to) {
  RunMaker a(1);
  RunMaker b(2);
  b.stretch = [](Part part, std::size_t i) {
    return part == Part::kHostCode && i % 3 == 2 ? 13.0 : 1.0;
  };
  const Comparison comparison = compare(a, b);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kNone);
  EXPECT_EQ(comparison.change->shape, "some") << comparison.verdict.text;
  EXPECT_THAT(comparison.verdict.text, HasSubstr("one step in 3 takes 5."));
}

TEST(Verdict, says_unknown_where_a_step_is_slower_and_nothing_explains_it) {
  RunMaker a(1);
  RunMaker b(2);
  a.steps().ms[Part::kLaunchDelay] = 1;
  b.steps().ms[Part::kLaunchDelay] = 11;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kSlower);
  EXPECT_FALSE(comparison.not_known.empty());
}

TEST(Verdict, compares_launches_where_cycles_are_of_different_kinds) {
  RunMaker step(1);
  RunMaker layer(2);
  step.is_trace = layer.is_trace = false;
  step.steps().tokens = layer.steps().tokens = std::nullopt;
  layer.anchor = "layer";
  layer.steps().count = 200;
  layer.steps().launches = 700.0 / 64;
  for (auto& [part, ms] : layer.steps().ms) ms /= 64;
  layer.steps().host_times(3.6);
  layer.counters["cpu_frequency"] = 900;
  const Comparison comparison = compare(step, layer);
  EXPECT_TRUE(comparison.comparable);
  EXPECT_EQ(comparison.comparability.aligned_by, "per_launch");
  EXPECT_EQ(comparison.change->unit, "launch");
  EXPECT_NEAR(comparison.change->ratio, (7 + 8 * 3.6) / 15, 0.05);
  for (const TimeBreakdownRow& row : comparison.time_breakdown) {
    if (row.kind != "function") continue;
    EXPECT_NEAR(row.ratio, 1, 0.05) << row.what << ": scaled as the parts are";
  }
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuFrequency) << comparison.verdict.text;
}

TEST(Verdict, says_which_counters_have_samples_in_few_steps_only) {
  RunMaker a(1);
  RunMaker b(2);
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  for (ComparedSide* side : {&normal, &abnormal}) {
    for (CounterValues& values : side->counters) values.coverage = 0.9;
  }
  const auto says_it = [&] {
    const Comparison comparison = compare(normal, abnormal);
    return std::any_of(
        comparison.evidence.begin(), comparison.evidence.end(), [](const std::string& text) {
          return text.starts_with("cpu_frequency has a sample in only 20% of the steps of a run");
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
  b.gemm = "other_kernel";
  b.steps().launches = 10;
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  for (MeasuredFunction& function :
       static_cast<MadeMeasurement&>(*abnormal.recordings[0]).costs[0].functions) {
    function.name += "_of_another_model";
  }
  const Comparison comparison = compare(normal, abnormal);
  EXPECT_FALSE(comparison.comparable);
  EXPECT_FALSE(comparison.change);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNotComparable);
}

TEST(Verdict, of_an_empty_run_says_what_is_missing) {
  for (const bool empty_first : {true, false}) {
    RunMaker maker(1);
    ComparedSide empty;
    empty.recordings.push_back(std::make_unique<MadeMeasurement>());
    ComparedSide full = maker.make();
    const Comparison comparison = empty_first ? compare(empty, full) : compare(full, empty);
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNotComparable);
    EXPECT_FALSE(comparison.comparability.reasons.empty());
  }
}

TEST(Verdict, of_one_step_each_has_no_interval_and_no_findings_by_chance) {
  RunMaker a(1);
  RunMaker b(2);
  a.steps().count = b.steps().count = 1;
  a.counters.clear();
  b.counters.clear();
  b.steps().host_times(1.4);
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(comparison.comparable);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.reason, "too_few");
  EXPECT_TRUE(std::isnan(comparison.change->low));
  for (const TimeBreakdownRow& row : comparison.time_breakdown) EXPECT_FALSE(row.q);
}

TEST(Verdict, is_about_these_recordings_unless_each_side_has_several) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().host_times(2);
  EXPECT_THAT(compare(a, b).verdict.text, HasSubstr("n these recordings"));
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  for (int i = 0; i < 2; ++i) {
    normal.recordings.push_back(a.measurement());
    abnormal.recordings.push_back(b.measurement());
  }
  const Comparison comparison = compare(normal, abnormal);
  EXPECT_THAT(comparison.verdict.text, ::testing::Not(HasSubstr("n these recordings")));
  EXPECT_GT(comparison.change->low, 1);
}

TEST(Verdict, looks_at_one_phase_if_asked_to) {
  Steps prefill;
  prefill.phase = Phase::kPrefill;
  RunMaker a(1);
  RunMaker b(2);
  a.ranks[0].push_back(prefill);
  b.ranks[0].push_back(prefill.kernels_times(3));
  ComparedSide normal = a.make();
  ComparedSide abnormal = b.make();
  const Comparison comparison = compare(normal, abnormal, Phase::kDecode);
  EXPECT_EQ(comparison.change->phase, "decode");
  EXPECT_EQ(comparison.change->by_phase.size(), 1U);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
}

TEST(Verdict, of_a_certain_change_that_is_too_small_is_none_and_felt_the_same) {
  for (const double factor : {1.02, 1 / 1.02}) {
    RunMaker a(1);
    RunMaker b(2);
    b.steps().host_times(factor);
    b.steps().kernels_times(factor);
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
    EXPECT_EQ(comparison.verdict.felt, FeltAs::kSame);
  }
}

TEST(Verdict, does_not_blame_the_clock_of_a_device_that_the_run_does_not_use) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(1.4);
  ComparedSide sides[2] = {a.make(), b.make()};
  for (std::size_t side = 0; side < 2; ++side) {
    sides[side].recordings.front()->ranks.front().device = "GPU 0";
    CounterValues other{.counter = "gpu_sm_frequency", .device = "GPU 3"};
    for (int i = 0; i < 60; ++i) other.values.push_back((side == 0 ? 1980 : 1400) + i % 7);
    sides[side].counters.push_back(std::move(other));
  }
  const Comparison comparison = tactus::compare(sides[0], sides[1]);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
  EXPECT_NE(comparison.verdict.device, "GPU 3");
}

TEST(Verdict, more_bytes_at_the_same_speed_are_more_work_and_not_a_slow_link) {
  const auto make = [](unsigned seed, double times) {
    RunMaker run(seed);
    run.steps().ms[Part::kCopyToDevice] = 2 * times;
    run.steps().copy_bytes = 16e6 * times;
    run.counters["gpu_pcie_receive"] = 3e8 * times;
    return run;
  };
  RunMaker a = make(1, 1);
  RunMaker b = make(2, 3);
  const Comparison more = compare(a, b);
  EXPECT_EQ(more.verdict.verdict, VerdictClass::kWorkloadChanged) << more.verdict.text;
  EXPECT_THAT(more.verdict.text, HasSubstr("a step copies 48 MB to the device instead of 16 MB"));
  // The same bytes, slower, beside more traffic than our own.
  RunMaker c = make(3, 1);
  RunMaker d = make(4, 1);
  d.steps().ms[Part::kCopyToDevice] = 6;
  d.counters["gpu_pcie_receive"] = 9e9;
  const Comparison slow = compare(c, d);
  EXPECT_EQ(slow.verdict.verdict, VerdictClass::kPcie) << slow.verdict.text;
}

TEST(Verdict, a_phase_of_few_steps_that_are_all_alike_does_not_stand_against_none) {
  RunMaker a(1);
  RunMaker b(2);
  Steps prefill;
  prefill.phase = Phase::kPrefill;
  prefill.tokens = 2048;
  for (RunMaker* run : {&a, &b}) {
    prefill.count = run == &a ? 2 : 4;
    run->ranks[0].push_back(prefill);
    run->ranks[0].back().kernels_times(20);
  }
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
  EXPECT_EQ(comparison.change->phase, "decode") << "the phase that has an interval";
}

TEST(Verdict, of_models_that_share_nothing_but_a_number_of_layers_is_not_comparable) {
  RunMaker a(1);
  RunMaker b(2);
  a.steps().phase = Phase::kUnknown;
  ComparedSide sides[2] = {a.make(), b.make()};
  const auto rename = [](ComparedSide& side) {
    auto* made = dynamic_cast<MadeMeasurement*>(side.recordings.front().get());
    for (FunctionCosts& costs : made->costs) {
      for (MeasuredFunction& function : costs.functions) function.name += "_of_another_model";
    }
  };
  rename(sides[1]);
  const Comparison other = tactus::compare(sides[0], sides[1]);
  EXPECT_EQ(other.verdict.verdict, VerdictClass::kNotComparable) << other.verdict.text;
  EXPECT_THAT(other.verdict.text, HasSubstr("of their kernels in common"));
  // An engine that replaces every kernel still decodes.
  RunMaker c(3);
  RunMaker d(4);
  ComparedSide engines[2] = {c.make(), d.make()};
  rename(engines[1]);
  EXPECT_EQ(tactus::compare(engines[0], engines[1]).verdict.verdict, VerdictClass::kKernelsChanged);
}

TEST(Verdict, a_disk_that_hardly_anybody_waited_for_did_not_slow_the_host) {
  for (const double pressure : {2e4, 6e5}) {  // us per second
    RunMaker a(1);
    RunMaker b(2);
    b.steps().host_times(1.8);
    a.counters["disk_await"] = 0.01;
    b.counters["disk_await"] = 0.5;
    a.counters["io_pressure"] = 1e3;
    b.counters["io_pressure"] = pressure;
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict,
              pressure > 1e5 ? VerdictClass::kDisk : VerdictClass::kHostSlower)
        << comparison.verdict.text;
  }
}

TEST(Verdict, cores_that_others_use_do_not_explain_what_the_run_did_not_wait_for) {
  for (const double waited : {2e4, 6e5}) {  // us per second
    RunMaker a(1);
    RunMaker b(2);
    b.steps().host_times(5);
    b.counters["host_cpu_usage"] = 100;
    a.counters["runq_wait"] = 1e3;
    b.counters["runq_wait"] = waited;
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict,
              waited > 1e5 ? VerdictClass::kCpuContention : VerdictClass::kHostSlower)
        << comparison.verdict.text;
  }
}

TEST(Verdict, a_load_on_cores_that_nobody_waited_for_is_no_sure_cause) {
  for (const bool waited : {false, true}) {
    RunMaker a(1);
    RunMaker b(2);
    b.steps().host_times(1.5);
    b.counters["host_cpu_usage"] = 60;
    a.counters["runq_wait"] = 0;
    b.counters["runq_wait"] = waited ? 4e5 : 0;
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuContention) << comparison.verdict.text;
    EXPECT_EQ(comparison.verdict.confidence, waited ? Confidence::kHigh : Confidence::kMedium);
  }
}

TEST(Verdict, more_of_the_same_kernels_are_more_work_and_not_a_slower_device) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->kernel_efforts = true;
  b.steps().launches *= 2;
  b.steps().kernels_times(2);
  b.steps().ms[Part::kLaunching] *= 2;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.resource, "launches");
}

TEST(Verdict, one_family_that_takes_most_of_the_time_is_not_the_device) {
  for (const bool knows_clock : {true, false}) {
    RunMaker a(1);
    RunMaker b(2);
    for (RunMaker* run : {&a, &b}) {
      run->steps().ms[part_of(Family::kGemm)] = 12;
      if (!knows_clock) run->counters.clear();
    }
    b.steps().ms[part_of(Family::kGemm)] = 20;
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kKernelsChanged) << comparison.verdict.text;
    EXPECT_THAT(comparison.verdict.text, HasSubstr("takes 1.67 times as long, launched as often"));
  }
}

TEST(Verdict, a_run_without_times_of_kernels_is_not_compared_with_one_that_has_them) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().ms = {{Part::kLaunching, 3}, {Part::kDeviceWait, 7}, {Part::kHostCode, 5}};
  for (const Comparison& comparison : {made::compare(a, b), made::compare(b, a)}) {
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNotComparable);
    EXPECT_FALSE(comparison.comparable);
    EXPECT_FALSE(comparison.change);
  }
}

TEST(Verdict, more_tokens_do_not_explain_products_that_only_read_their_weights) {
  RunMaker a(1);
  RunMaker b(2);
  a.counters["gpu_sm_frequency"] = 1980;
  b.counters["gpu_sm_frequency"] = 1980 / 1.2;
  b.steps().kernels_times(1.2);
  b.steps().tokens = 40;
  for (RunMaker* run : {&a, &b}) {
    run->steps().ms[Part::kLaunching] = run->steps().ms[Part::kHostCode] = 0.1;
  }
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
}

TEST(Verdict, a_change_of_one_phase_is_not_explained_by_what_happened_in_another) {
  RunMaker a(1);
  RunMaker b(2);
  Steps prefill;
  prefill.phase = Phase::kPrefill;
  prefill.tokens = 4096;
  for (RunMaker* run : {&a, &b}) run->ranks[0].push_back(prefill);
  a.counters["gpu_sm_frequency"] = 1980;
  b.counters["gpu_sm_frequency"] = 1980 / 1.05;
  b.ranks[0][1].kernels_times(1.05);
  b.ranks[0][0].kernels_times(1.05);
  b.ranks[0][0].ms[part_of(Family::kAttention)] *= 4;
  const Comparison comparison = made::compare(a, b);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kGpuClock) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.phase, "decode");
}

TEST(Verdict, a_few_steps_that_happen_to_do_the_same_work_do_not_stand_for_a_phase) {
  RunMaker a(1);
  RunMaker b(2);
  Steps longer;
  longer.context = 4100;
  longer.ms[part_of(Family::kAttention)] *= 2;
  a.steps().context = 2000;
  Steps few = a.steps();
  few.count = 1;
  b.ranks = {{longer, few}};
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.change->by_phase.at(0).n[1], 41);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
}

TEST(Verdict, does_not_ask_for_counters_that_are_there) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().kernels_times(1.3);
  for (RunMaker* run : {&a, &b}) run->counters["gpu_mem_foreign"] = 1e9;
  EXPECT_THAT(made::compare(a, b).verdict.text, HasSubstr("neither its clock nor another process"));
  for (RunMaker* run : {&a, &b}) run->counters.erase("gpu_sm_frequency");
  EXPECT_THAT(made::compare(a, b).verdict.text, HasSubstr("its clock would settle why"));
  for (RunMaker* run : {&a, &b}) run->counters.clear();
  EXPECT_THAT(made::compare(a, b).verdict.text,
              HasSubstr("the clock of the device and who else uses it would settle why"));
}

TEST(Verdict, counters_that_moved_the_other_way_are_no_cause) {
  RunMaker a(1);
  RunMaker b(2);
  b.steps().host_times(3);
  b.counters["host_cpu_usage"] = 100;
  a.counters["host_cpu_irq"] = 10;
  b.counters["host_cpu_irq"] = 2;
  const Comparison comparison = made::compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kCpuContention) << comparison.verdict.text;
  for (const CounterShiftRow& row : comparison.counter_shifts) {
    EXPECT_EQ(row.is_cause, row.counter == "host_cpu_usage") << row.counter;
  }
}

}  // namespace
}  // namespace tactus
