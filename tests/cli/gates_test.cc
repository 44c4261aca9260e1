#include "cli/gates.h"

#include <gtest/gtest.h>

#include "cli/command.h"

namespace tactus::cli {
namespace {

/// A comparison with one phase that has all of the time.
Comparison with_interval(double low, double high) {
  Comparison comparison;
  comparison.comparable = true;
  Change change;
  PhaseRow row;
  row.phase = "decode";
  row.ratio = (low + high) / 2;
  row.low = low;
  row.high = high;
  change.by_phase.push_back(row);
  comparison.change = change;
  return comparison;
}

int exit_code(const Comparison& comparison) {
  return judge_regression(comparison, 5).exit_code;
}

TEST(RegressionGate, fails_passes_or_is_not_judged_by_the_interval) {
  EXPECT_EQ(exit_code(with_interval(1.06, 1.2)), kGateFailed);
  EXPECT_EQ(exit_code(with_interval(0.97, 1.04)), kDone);
  EXPECT_EQ(exit_code(with_interval(1.01, 1.2)), kNotJudged);
  EXPECT_EQ(exit_code(with_interval(NAN, NAN)), kNotJudged);
}

TEST(RegressionGate, looks_at_the_mean_too) {
  Comparison stalls = with_interval(0.97, 1.04);
  stalls.change->by_phase[0].mean = {.ratio = 1.5, .low = 1.2, .high = 1.8};
  EXPECT_EQ(exit_code(stalls), kGateFailed);
}

TEST(RegressionGate, does_not_pass_if_the_run_pauses_longer_and_nothing_tells_why) {
  Comparison comparison = with_interval(0.97, 1.04);
  comparison.change->by_phase[0].step_ns = {1e6, 1e6};
  comparison.change->by_phase[0].pause_ns = {2e4, 6e4};
  EXPECT_EQ(exit_code(comparison), kDone) << "4% of a step";
  comparison.change->by_phase[0].pause_ns = {2e4, 9e4};
  EXPECT_EQ(exit_code(comparison), kNotJudged);
  comparison.change->by_phase[0].pause_ns = {9e4, 2e4};
  EXPECT_EQ(exit_code(comparison), kDone);
}

TEST(RegressionGate, is_not_judged_for_runs_without_a_phase_in_common) {
  Comparison comparison = with_interval(3.9, 4.1);
  comparison.change->missing_share = 1;
  EXPECT_EQ(exit_code(comparison), kNotJudged);
}

TEST(RegressionGate, does_not_pass_if_the_other_run_lacks_a_phase_or_a_rank) {
  Comparison comparison = with_interval(0.97, 1.04);
  comparison.change->missing_share = 0.4;
  EXPECT_EQ(exit_code(comparison), kNotJudged);
  comparison.change->missing_share = 0.05;
  EXPECT_EQ(exit_code(comparison), kDone);
  comparison.change->missing_ranks = 1;
  EXPECT_EQ(exit_code(comparison), kNotJudged);
}

TEST(RegressionGate, passes_without_an_interval_only_if_it_is_the_same_recording) {
  Comparison few = with_interval(NAN, NAN);
  few.change->by_phase[0].ratio = 1;
  EXPECT_EQ(exit_code(few), kNotJudged);
  few.change->by_phase[0].is_same_recording = true;
  EXPECT_EQ(exit_code(few), kDone);
  few.change->by_phase[0].is_same_recording = false;
  few.change->by_phase[0].is_apart = true;
  few.change->by_phase[0].ratio = 2;
  EXPECT_EQ(exit_code(few), kGateFailed);
}

TEST(BenchGate, is_not_judged_if_the_time_limit_left_rows) {
  BenchResult result;
  result.rows.resize(2);
  EXPECT_EQ(judge_completeness(result).exit_code, kDone);
  result.rows[1].status = BenchStatus::kSkipped;
  result.rows[1].reason = "the candidate has no such operator";
  EXPECT_EQ(judge_completeness(result).exit_code, kDone);
  result.rows[1].reason = kOutOfTime;
  EXPECT_EQ(judge_completeness(result).exit_code, kNotJudged);
}

}  // namespace
}  // namespace tactus::cli
