#include "cycles/phases/step_annotation.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

StepAnnotation step(Phase phase, std::optional<std::int64_t> batch,
                    std::optional<std::int64_t> prompt, std::optional<std::int64_t> generation,
                    std::optional<std::int64_t> prompts, std::optional<std::int64_t> context = {}) {
  return {phase, batch, prompt, generation, context, prompts};
}

TEST(StepAnnotation, the_names_of_vllm_are_read) {
  EXPECT_EQ(parse_step_annotation("execute_context_2(512)_generation_3(3)"),
            step(Phase::kPrefill, 5, 512, 3, 2));
  EXPECT_EQ(parse_step_annotation("execute_context_2(7)_generation_3(3)"),
            step(Phase::kMixed, 5, 7, 3, 2));
  EXPECT_EQ(parse_step_annotation("execute_context_1(888_788544)_generation_0(0)"),
            step(Phase::kPrefill, 1, 888, 0, 1));
  EXPECT_EQ(parse_step_annotation("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32("
                                  "sq32sk55086sqsq32sqsk55086)"),
            step(Phase::kDecode, 32, 0, 32, 0, 55086));
  EXPECT_EQ(parse_step_annotation("execute_15360_context_15(sq15360sk15360sqsq15728640"
                                  "sqsk15728640)_generation_0(sq0sk0sqsq0sqsk0)"),
            step(Phase::kPrefill, 15, 15360, 0, 15, 15360));
}

TEST(StepAnnotation, a_step_with_a_prompt_is_a_prefill_if_most_tokens_are_the_prompts) {
  EXPECT_EQ(phase_of_annotation("execute_context_1(512)_generation_3(3)"), Phase::kPrefill);
  EXPECT_EQ(phase_of_annotation("execute_context_1(20)_generation_30(30)"), Phase::kMixed);
  // With three drafted tokens for each of those that generate.
  EXPECT_EQ(phase_of_annotation("execute_context_1(20)_generation_30(120)"), Phase::kMixed);
  EXPECT_EQ(phase_of_annotation("execute_context_0(0)_generation_30(120)"), Phase::kDecode);
}

TEST(StepAnnotation, the_names_of_sglang_are_read) {
  EXPECT_EQ(parse_step_annotation("step[EXTEND bs=15 toks=15360]"),
            step(Phase::kPrefill, 15, 15360, 0, 15));
  EXPECT_EQ(parse_step_annotation("step[DECODE bs=32]"), step(Phase::kDecode, 32, 0, 32, 0));
  EXPECT_EQ(parse_step_annotation("step[MIXED bs=20 toks=147 prompts=1 prompt_toks=128]"),
            (StepAnnotation{.phase = Phase::kMixed,
                            .batch = 20,
                            .context_tokens = 128,
                            .generation_tokens = 19,
                            .prompts = 1}));
  EXPECT_EQ(parse_step_annotation("step[MIXED bs=20 toks=14 prompts=1 prompt_toks=128]"),
            (StepAnnotation{.phase = Phase::kMixed, .batch = 20}));
  EXPECT_EQ(parse_step_annotation("step[MIXED bs=9 toks=800]"),
            step(Phase::kMixed, 9, std::nullopt, std::nullopt, std::nullopt));
  EXPECT_EQ(parse_step_annotation("step[TARGET_VERIFY bs=4 toks=20]"),
            step(Phase::kDecode, 4, 0, 20, 0));
  EXPECT_EQ(phase_of_annotation("step[IDLE bs=0]"), Phase::kUnknown);
}

TEST(StepAnnotation, other_names_are_no_steps) {
  for (const char* name :
       {"", "execute_", "execute_model", "execute_context_", "execute_context_1(5",
        "execute_context_1(5)_generation_", "step[", "step[3]", "ProfilerStep#6",
        "nccl:_all_gather_base", "execute_99999999999999999999_context_1(1)_generation_1(1)"}) {
    EXPECT_EQ(parse_step_annotation(name), std::nullopt) << name;
    EXPECT_EQ(phase_of_annotation(name), Phase::kUnknown) << name;
  }
}

TEST(StepAnnotation, tokens_that_are_not_there_stay_unknown) {
  EXPECT_EQ(parse_step_annotation("execute_context_1()_generation_0()"),
            step(Phase::kPrefill, 1, std::nullopt, 0, 1));
  EXPECT_EQ(parse_step_annotation("execute_context_1_generation_2"),
            step(Phase::kMixed, 3, std::nullopt, std::nullopt, 1));
}

TEST(StepLengths, are_sums_over_the_sequences_of_a_step) {
  const std::optional<StepLengths> decode = parse_step_lengths(
      "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)");
  ASSERT_TRUE(decode);
  EXPECT_EQ(decode->all(), (LengthSums{.sequences = 32,
                                       .queries = 32,
                                       .keys = 55086,
                                       .query_squares = 32,
                                       .query_keys = 55086}));
  const std::optional<StepLengths> mixed = parse_step_lengths(
      "execute_7_context_1(sq5sk9sqsq25sqsk45)_generation_2(sq2sk30sqsq2sqsk30)");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->context.keys, 9);
  EXPECT_EQ(mixed->all(),
            (LengthSums{
                .sequences = 3, .queries = 7, .keys = 39, .query_squares = 27, .query_keys = 75}));
}

TEST(StepLengths, of_older_names_lack_the_keys) {
  const std::optional<StepLengths> step =
      parse_step_lengths("execute_context_1(888_788544)_generation_0(0)");
  ASSERT_TRUE(step);
  EXPECT_EQ(
      step->all(),
      (LengthSums{
          .sequences = 1, .queries = 888, .keys = {}, .query_squares = 788544, .query_keys = {}}));
}

TEST(StepLengths, that_contradict_each_other_are_not_read) {
  for (const char* name :
       {"execute_32_context_0(sq0sk0)_generation_32(sq32sk5)",
        "execute_context_2(1)_generation_0(0)", "execute_context_1(5_4)_generation_0(0)",
        "step[DECODE bs=3]", "execute_context_1", "execute_context_1(sq5sk9sqsq25sqsk45",
        "execute_context_1(99999999999999999999)_generation_0(0)"}) {
    EXPECT_FALSE(parse_step_lengths(name)) << name;
  }
}

TEST(StepLengths, that_are_too_large_to_add_are_not_given) {
  const std::optional<StepLengths> step = parse_step_lengths(
      "execute_2_context_1(sq1sk9223372036854775807)_generation_1(sq1sk9223372036854775807)");
  ASSERT_TRUE(step);
  EXPECT_FALSE(step->all().keys);
}

}  // namespace
}  // namespace tactus
