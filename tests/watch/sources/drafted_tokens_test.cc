// Speculative decoding: a sequence that generates has one token, and those that were drafted for
// it.
#include <gtest/gtest.h>

#include "watch/sources/growing_run.h"
#include "watch/sources/step_source.h"

namespace tactus::watch {
namespace {

TEST(DraftedTokens, are_no_sequences) {
  const std::optional<Step> decode = work_of_name("execute_context_0(0)_generation_3(12)");
  ASSERT_TRUE(decode);
  EXPECT_EQ(decode->phase, Phase::kDecode);
  EXPECT_EQ(decode->sequences, 3);
  EXPECT_EQ(decode->prompt_tokens, 0);
  const std::optional<Step> mixed = work_of_name("execute_context_1(4)_generation_2(8)");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->sequences, 2);
  EXPECT_EQ(mixed->prompts, 1);
  EXPECT_EQ(mixed->prompt_tokens, 4);
}

TEST(DraftedTokens, are_no_sequences_of_a_cycle) {
  Cycle cycle;
  cycle.dur_ns = 1000;
  cycle.phase = Phase::kMixed;
  cycle.batch = 3;
  cycle.context_tokens = 4;
  cycle.generation_tokens = 8;
  cycle.prompts = 1;
  const std::optional<Step> step = step_of(cycle, 0);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->sequences, 2);
  EXPECT_EQ(step->prompts, 1);
  // An engine that does not say how many read their prompts.
  cycle.prompts.reset();
  EXPECT_EQ(step_of(cycle, 0)->sequences, 8);
}

}  // namespace
}  // namespace tactus::watch
