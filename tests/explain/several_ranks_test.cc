// Jobs of several ranks: what is said about the job, and what about one of its ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using made::Steps;
using ::testing::HasSubstr;

constexpr auto kDecodeSteps = static_cast<std::size_t>(Phase::kDecode);

RunMaker of_ranks(unsigned seed, std::vector<Steps> ranks) {
  RunMaker run(seed);
  run.ranks.clear();
  for (const Steps& steps : ranks) run.ranks.push_back({steps});
  return run;
}

std::string evidence_of(const Comparison& comparison) {
  std::string all;
  for (const std::string& text : comparison.evidence) all += text + "\n";
  return all;
}

TEST(SeveralRanks, that_swapped_their_phases_have_nothing_to_explain) {
  Steps prefill;
  prefill.phase = Phase::kPrefill;
  RunMaker a = of_ranks(1, {prefill, Steps()});
  RunMaker b = of_ranks(2, {Steps(), prefill});
  for (const std::optional<Phase> only : {std::optional(Phase::kDecode), std::optional<Phase>()}) {
    ComparedSide sides[2] = {a.make(), b.make()};
    const Comparison comparison = compare(sides[0], sides[1], only);
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown);
    EXPECT_EQ(comparison.verdict.reason, "no_common_phase");
  }
}

TEST(SeveralRanks, that_pause_at_the_end_of_steps_leave_another_mix_of_steps) {
  RunMaker a = of_ranks(1, {Steps(), Steps()});
  RunMaker b = of_ranks(2, {Steps().kernels_times(2), Steps().kernels_times(2)});
  ComparedSide sides[2] = {a.make(), b.make()};
  for (RankMeasure& rank : sides[1].recordings.front()->ranks) rank.cut_off[kDecodeSteps] = 20;
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.reason, "pauses") << comparison.verdict.text;
  EXPECT_TRUE(std::isnan(comparison.change->low));
  EXPECT_FALSE(comparison.change->is_apart);
}

TEST(SeveralRanks, that_spend_half_of_their_time_in_each_phase_have_one_role) {
  // Chance decides in which phase a rank spends more.
  RunMaker runs[2] = {RunMaker(1), RunMaker(2)};
  for (RunMaker& run : runs) {
    run.ranks.assign(2, {Steps(), Steps()});
    for (std::size_t rank = 0; rank < 2; ++rank) {
      run.ranks[rank][0].phase = Phase::kPrefill;
      run.ranks[rank][rank].kernels_times(1.1);
    }
  }
  const Comparison comparison = made::compare(runs[0], runs[1]);
  ASSERT_EQ(comparison.change->by_phase.size(), 2U);
  for (const PhaseRow& phase : comparison.change->by_phase) {
    EXPECT_EQ(phase.n[0], 40) << phase.phase;
    EXPECT_EQ(phase.n[1], 40) << phase.phase;
  }
}

TEST(SeveralRanks, numbers_of_one_rank_are_said_to_be_its) {
  // Rank 1 was the slowest before, and all are now.
  RunMaker a = of_ranks(1, {Steps(), Steps().kernels_times(2).host_times(2), Steps()});
  Steps slow;
  slow.kernels_times(3).host_times(3);
  RunMaker b = of_ranks(2, {slow, slow, slow});
  const Comparison comparison = made::compare(a, b);
  EXPECT_NEAR(comparison.change->ratio, 1.5, 0.05);
  EXPECT_THAT(evidence_of(comparison),
              HasSubstr("The own work of rank 1 takes 2.00 times that of the other ranks in the "
                        "normal run, 1.00 times in the other run."));
  EXPECT_THAT(comparison.verdict.text, HasSubstr("of rank 0, ")) << comparison.verdict.text;
}

TEST(SeveralRanks, that_jitter_do_not_make_the_step_of_the_job_longer) {
  // Ranks wait for each other, so all of them take as long in all, but where one says that a step
  // ends differs by up to 2 ms of 15, always to the cost or gain of the next step.
  RunMaker a = of_ranks(1, {Steps(), Steps()});
  RunMaker b = of_ranks(2, {Steps(), Steps()});
  ComparedSide sides[2] = {a.make(), b.make()};
  for (std::size_t r = 0; r < 2; ++r) {
    std::vector<MeasuredStep>& steps = sides[1].recordings.front()->ranks[r].steps;
    for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
      const double ns = (i + 2 * r) % 4 == 0 ? 2e6 : -2e6;
      steps[i].ns += ns;
      steps[i + 1].ns -= ns;
    }
  }
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_NEAR(comparison.change->mean.ratio, 1, 0.01);
}

/// A collective in each step, as ranks have that divide a model.
ComparedSide with_collectives(RunMaker& run) {
  ComparedSide side = run.make();
  for (RankMeasure& rank : side.recordings.front()->ranks) {
    EffortColumns& columns = rank.efforts[static_cast<std::size_t>(Effort::kCollectives)];
    columns.count.assign(rank.steps.size(), 1);
    columns.ns.assign(rank.steps.size(), 1e5);
  }
  return side;
}

TEST(SeveralRanks, that_are_fewer_have_a_larger_share_of_the_work_each) {
  RunMaker two = of_ranks(1, {Steps(), Steps()});
  RunMaker one = of_ranks(2, {Steps().kernels_times(1.9)});
  ComparedSide sides[2] = {with_collectives(two), one.make()};
  Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;
  EXPECT_THAT(comparison.verdict.text, HasSubstr("runs on 1 rank instead of 2"));
  comparison = compare(sides[1], sides[0]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kWorkloadChanged) << comparison.verdict.text;

  // Without collectives, nothing is divided: a recording is missing.
  ComparedSide alone = two.make();
  EXPECT_NE(compare(alone, sides[1]).verdict.verdict, VerdictClass::kWorkloadChanged);
}

}  // namespace
}  // namespace tactus
