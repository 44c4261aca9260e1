#include "watch/latency_model.h"

#include <gtest/gtest.h>

#include "watch/evaluate/synthetic.h"

namespace tactus::watch {
namespace {

Step decode_step(double sequences, double context, double us) {
  return {.dur_us = us, .sequences = sequences, .context = context, .phase = Phase::kDecode};
}

/// 20 ms, 0.1 ms per sequence, 0.2 us per token, 3 ms more above 16 sequences.
double truth(double b, double s) {
  return 20'000 + 100 * b + 0.2 * s + (b > 16 ? 3000 : 0);
}

std::vector<Step> exact_steps() {
  std::vector<Step> steps;
  for (double b = 1; b <= 128; b += 3) {
    for (double each = 100; each <= 2000; each += 300) {
      steps.push_back(decode_step(b, b * each, truth(b, b * each)));
    }
  }
  return steps;
}

TEST(LatencyModel, finds_a_law_that_steps_follow_exactly) {
  const LatencyModel model = LatencyModel::fit(ModelKind::kDecode, exact_steps());
  for (const double b : {1.0, 5.0, 16.0, 17.0, 40.0, 100.0}) {
    EXPECT_NEAR(model.predict(decode_step(b, b * 700, 0)) / truth(b, b * 700), 1, 0.003) << b;
  }
  EXPECT_LT(model.spread(), 0.002);
}

TEST(LatencyModel, is_not_bent_by_a_fifth_of_disturbed_steps) {
  std::vector<Step> steps = exact_steps();
  for (std::size_t i = 0; i < steps.size(); i += 5) steps[i].dur_us *= 3;
  const LatencyModel model = LatencyModel::fit(ModelKind::kDecode, steps);
  EXPECT_NEAR(model.predict(decode_step(40, 28'000, 0)) / truth(40, 28'000), 1, 0.01);
}

TEST(LatencyModel, leaves_out_blocks_that_are_slow_as_a_whole) {
  std::vector<Step> steps;
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t block = 0; block < 10; ++block) {
    for (Step step : exact_steps()) {
      // Only the slow block has batches of 60 and more: weights alone cannot tell it is off.
      if ((block == 9) != (step.sequences >= 60)) continue;
      step.dur_us *= block == 9 ? 1.5 : 1;
      steps.push_back(step);
      blocks.push_back(block);
    }
  }
  const LatencyModel model = LatencyModel::fit(ModelKind::kDecode, steps, blocks);
  EXPECT_NEAR(model.predict(decode_step(40, 28'000, 0)) / truth(40, 28'000), 1, 0.01);
}

TEST(LatencyModel, predicts_something_positive_for_any_work) {
  const LatencyModel model = LatencyModel::fit(ModelKind::kDecode, exact_steps());
  for (const double b : {0.0, 1e-9, 1e9, 1e300}) {
    EXPECT_GT(model.predict(decode_step(b, b, 0)), 0) << b;
  }
  const std::vector<Step> alike(50, decode_step(8, 800, 5000));
  EXPECT_NEAR(LatencyModel::fit(ModelKind::kDecode, alike).predict(alike[0]), 5000, 50);
}

TEST(LatencyModel, learns_steps_with_prompts_by_their_tokens) {
  const StepStream stream = make_steps(deployments()[0], 6000, 3);
  std::vector<Step> steps;
  for (const Step& step : stream.steps) {
    if (kind_of(step) == ModelKind::kWithPrompts) steps.push_back(step);
  }
  ASSERT_GT(steps.size(), 200U);
  const LatencyModel model = LatencyModel::fit(ModelKind::kWithPrompts, steps);
  EXPECT_LT(model.spread(), 0.03);
}

TEST(LatencyModel, knows_which_work_it_can_explain) {
  EXPECT_EQ(kind_of({.sequences = 4, .phase = Phase::kDecode}), ModelKind::kDecode);
  EXPECT_EQ(kind_of({.sequences = 4, .prompt_tokens = 9, .phase = Phase::kMixed}),
            ModelKind::kWithPrompts);
  EXPECT_EQ(kind_of({.launches = 12}), ModelKind::kByLaunches);
  // A prompt of unknown length can take any time.
  EXPECT_EQ(kind_of({.sequences = 4, .phase = Phase::kMixed}), std::nullopt);
}

TEST(LatencyModel, pads_batches_as_graphs_are_captured) {
  EXPECT_EQ(padded_batch(1), 1);
  EXPECT_EQ(padded_batch(3), 4);
  EXPECT_EQ(padded_batch(9), 16);
  EXPECT_EQ(padded_batch(600), 600);
}

}  // namespace
}  // namespace tactus::watch
