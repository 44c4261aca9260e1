#include "measure/kinds/step_kinds.h"

#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using made::Steps;

Steps unknown(std::size_t count, double blocks) {
  Steps steps;
  steps.count = count;
  steps.phase = Phase::kUnknown;
  steps.tokens.reset();
  steps.blocks = blocks;
  return steps;
}

/// How many steps of each kind there are in both runs.
std::array<std::vector<std::size_t>, 2> kinds_of(RunMaker& a, RunMaker& b) {
  const auto first = a.measurement();
  const auto second = b.measurement();
  Measurement* const both[] = {first.get(), second.get()};
  find_step_kinds(both);
  std::array<std::vector<std::size_t>, 2> kinds;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const MeasuredStep& step : both[side]->ranks[0].steps) {
      kinds[side].resize(std::max<std::size_t>(kinds[side].size(), step.kind + 1U));
      ++kinds[side][step.kind];
    }
  }
  return kinds;
}

TEST(StepKinds, prompts_and_tokens_of_a_program_that_says_nothing_are_apart) {
  RunMaker a(1), b(2);
  a.ranks = {{unknown(6, 4096), unknown(30, 32)}};
  b.ranks = {{unknown(5, 4096), unknown(40, 32)}};
  const auto kinds = kinds_of(a, b);
  EXPECT_EQ(kinds[0], (std::vector<std::size_t>{30, 6}));
  EXPECT_EQ(kinds[1], (std::vector<std::size_t>{40, 5}));
}

TEST(StepKinds, are_paired_by_names_where_the_work_grew) {
  RunMaker a(1), b(2);
  a.ranks = {{unknown(30, 32), unknown(6, 4096)}};
  b.ranks = {{unknown(30, 32), unknown(6, 16384)}};
  EXPECT_EQ(kinds_of(a, b)[1], (std::vector<std::size_t>{30, 6}));
}

TEST(StepKinds, one_odd_step_is_no_kind) {
  RunMaker a(1), b(2);
  a.ranks = {{unknown(30, 32), unknown(1, 4096)}};
  b.ranks = {{unknown(30, 32)}};
  EXPECT_EQ(kinds_of(a, b)[0], (std::vector<std::size_t>{31}));
}

TEST(StepKinds, without_a_pair_for_each_all_steps_are_compared_together) {
  RunMaker a(1), b(2);
  a.ranks = {{unknown(30, 32), unknown(6, 4096)}};
  b.ranks = {{unknown(36, 32)}};
  EXPECT_EQ(kinds_of(a, b)[0], (std::vector<std::size_t>{36}));
}

TEST(StepKinds, steps_with_a_phase_have_no_kind) {
  RunMaker a(1), b(2);
  for (RunMaker* run : {&a, &b}) {
    run->ranks = {{unknown(30, 32), unknown(6, 4096)}};
    for (Steps& steps : run->ranks[0]) steps.phase = Phase::kDecode;
  }
  EXPECT_EQ(kinds_of(a, b)[0], (std::vector<std::size_t>{36}));
}

}  // namespace
}  // namespace tactus
