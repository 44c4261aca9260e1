#include "measure/kinds/name_phases.h"

#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using made::Steps;

Steps steps_of(Phase phase, double blocks) {
  Steps steps;
  steps.count = 5;
  steps.phase = phase;
  steps.blocks = blocks;
  return steps;
}

/// The phases of the steps after they were named by those of an engine that decodes 32 sequences
/// and prefills.
std::vector<Phase> named(RunMaker& run) {
  RunMaker engine(1);
  engine.ranks = {{steps_of(Phase::kDecode, 32), steps_of(Phase::kPrefill, 4096)}};
  const auto other = engine.measurement();
  const auto measured = run.measurement();
  name_phases(*other, *measured);
  std::vector<Phase> phases;
  for (const MeasuredStep& step : measured->ranks[0].steps) phases.push_back(step.work.phase);
  return phases;
}

TEST(NamePhases, steps_with_the_kernels_and_grids_of_a_phase_have_that_phase) {
  RunMaker graph(2);
  graph.ranks = {{steps_of(Phase::kUnknown, 4096), steps_of(Phase::kUnknown, 33)}};
  const std::vector<Phase> phases = named(graph);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    EXPECT_EQ(phases[i], i < 5 ? Phase::kPrefill : Phase::kDecode);
  }
}

TEST(NamePhases, what_only_names_of_attention_tell_gives_way_to_a_run_that_knows_more) {
  for (const Evidence known : {Evidence::kGrid, Evidence::kNames}) {
    RunMaker engine(1);
    engine.ranks = {{steps_of(Phase::kDecode, 32), steps_of(Phase::kPrefill, 4096)}};
    RunMaker fused(2);
    fused.ranks = {{steps_of(Phase::kPrefill, 32)}};
    const auto other = engine.measurement();
    const auto measured = fused.measurement();
    for (MeasuredStep& step : other->ranks[0].steps) step.work.evidence = known;
    for (MeasuredStep& step : measured->ranks[0].steps) step.work.evidence = Evidence::kNames;
    name_phases(*other, *measured);
    for (const MeasuredStep& step : measured->ranks[0].steps) {
      EXPECT_EQ(step.work.phase, known == Evidence::kGrid ? Phase::kDecode : Phase::kPrefill);
    }
  }
}

TEST(NamePhases, steps_of_another_size_or_with_other_kernels_stay_unknown) {
  RunMaker larger(2);
  larger.ranks = {{steps_of(Phase::kUnknown, 400)}};
  for (const Phase phase : named(larger)) EXPECT_EQ(phase, Phase::kUnknown);
}

TEST(NamePhases, without_grids_only_products_and_attention_tell) {
  RunMaker other(1), graph(2);
  other.ranks = {{steps_of(Phase::kPrefill, 0)}};
  graph.ranks = {{steps_of(Phase::kUnknown, 0)}};
  for (const bool is_same_product : {true, false}) {
    if (!is_same_product) graph.gemm = "nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNT";
    for (RunMaker* run : {&other, &graph}) {
      // The same norms and other elementwise kernels, far more often.
      run->ranks[0][0].ms = {{part_of(Family::kGemm), 4},
                             {part_of(Family::kNorm), 1},
                             {part_of(Family::kElementwise), 1},
                             {part_of(Family::kFill), 1}};
    }
    const auto measured = graph.measurement();
    name_phases(*other.measurement(), *measured);
    for (const MeasuredStep& step : measured->ranks[0].steps) {
      EXPECT_EQ(step.work.phase, is_same_product ? Phase::kPrefill : Phase::kUnknown);
    }
  }
}

TEST(NamePhases, what_a_recording_says_itself_stays) {
  RunMaker known(2);
  known.ranks = {{steps_of(Phase::kMixed, 32)}};
  for (const Phase phase : named(known)) EXPECT_EQ(phase, Phase::kMixed);
}

TEST(NamePhases, two_recordings_without_phases_stay_so) {
  RunMaker a(1), b(2);
  a.ranks = b.ranks = {{steps_of(Phase::kUnknown, 32)}};
  const auto other = a.measurement();
  const auto measured = b.measurement();
  name_phases(*other, *measured);
  EXPECT_EQ(measured->ranks[0].steps[0].work.phase, Phase::kUnknown);
}

}  // namespace
}  // namespace tactus
