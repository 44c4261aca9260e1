#include "watch/sources/engine_log.h"

#include <gtest/gtest.h>

namespace tactus::watch {
namespace {

TEST(EngineLog, reads_iterations_of_vllm) {
  EngineLog log;
  const auto mixed = log.add(
      "(EngineCore_0 pid=7) INFO 11-17 02:00:00 [core.py:350] Iteration(7): 1 context requests, "
      "512 "
      "context tokens, 31 generation requests, 31 generation tokens, iteration elapsed time: 41.20 "
      "ms");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->stream, "vllm");
  EXPECT_EQ(mixed->step.phase, Phase::kMixed);
  EXPECT_EQ(mixed->step.sequences, 31);
  EXPECT_EQ(mixed->step.prompt_tokens, 512);
  EXPECT_NEAR(mixed->step.dur_us, 41'200, 1e-6);
  const auto decode = log.add(
      "Iteration(8): 0 context requests, 0 context tokens, 32 generation requests, 32 generation "
      "tokens, iteration elapsed time: 20.00 ms");
  ASSERT_TRUE(decode);
  EXPECT_EQ(decode->step.phase, Phase::kDecode);
  // What was computed before is the context of this step.
  EXPECT_NEAR(decode->step.context, 543, 1);
}

TEST(EngineLog, reads_batches_of_sglang) {
  EngineLog log;
  EXPECT_FALSE(
      log.add("[2026-09-30 08:30:15 TP1] Prefill batch, #new-seq: 2, #new-token: 800, "
              "#cached-token: 0, token usage: 0.00, #running-req: 0, #queue-req: 0"));
  const auto first = log.add(
      "[2026-09-30 08:30:35 TP1] Decode batch, #running-req: 16, #token: 5000, "
      "token usage: 0.05, cuda graph: True, gen throughput (token/s): 800.00, "
      "#queue-req: 0");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rank, 1);
  EXPECT_EQ(first->step.phase, Phase::kMixed);
  EXPECT_NEAR(first->step.prompt_tokens, 20, 1e-9);
  EXPECT_NEAR(first->step.dur_us, 20'000, 1e-6);
  EXPECT_EQ(first->step.weight, 40);
  const auto second = log.add(
      "Decode batch. #running-req: 16, #full token: 5640, accept len: 2.00, gen "
      "throughput (token/s): 1600.00");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->step.phase, Phase::kDecode);
  EXPECT_NEAR(second->step.dur_us, 20'000, 1e-6);
  EXPECT_EQ(second->step.context, 5640);
}

TEST(EngineLog, counts_lines_that_it_should_understand_and_skips_all_others) {
  EngineLog log;
  for (const char* line :
       {"", "INFO hello", "Iteration(", "Iteration(1): context requests", "Decode batch",
        "Decode batch, #running-req: x, gen throughput (token/s): 1",
        "Iteration(8): 0 context requests, 0 context tokens, 9 generation requests, 9 generation "
        "tokens, iteration elapsed time: -1 ms",
        "Iteration(8): 0 context requests, 0 context tokens, 9 generation requests, 9 generation "
        "tokens, iteration elapsed time: 1e999 ms"}) {
    EXPECT_FALSE(log.add(line)) << line;
  }
  EXPECT_EQ(log.bad_lines(), 6U);
}

}  // namespace
}  // namespace tactus::watch
