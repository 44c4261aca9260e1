// Turns of the loops of programs that are no transformers, or very small ones.
#include <gtest/gtest.h>

#include "cycles/cycles.h"
#include "cycles/trace_text.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_json;
using testing::TraceText;
namespace kernels = testing::kernels;

Cycles cycles_of(const TraceText& trace) {
  const tactus::Run run = import_json(trace.json());
  Result<Cycles> cycles = find_cycles(run, {});
  if (!cycles) {
    ADD_FAILURE() << cycles.error().message;
    return {};
  }
  return std::move(*cycles);
}

/// A program that scores items: the number of its kernels depends on the request.
void score(TraceText& trace, int lookups) {
  for (int i = 0; i < lookups; ++i) {
    trace.launch("cudaLaunchKernel", trace.now_ns()).kernel("gather_rows", 4000, 2000);
  }
  trace.launch("cudaLaunchKernel", trace.now_ns()).kernel("interact", 9000, 2000);
  trace.launch("cudaLaunchKernel", trace.now_ns()).kernel("top_layer", 7000, 2000);
}

TEST(Turns, end_where_the_host_waits_for_the_result) {
  TraceText trace;
  for (int i = 0; i < 12; ++i) {
    score(trace, 3 + i % 4);
    trace.launch("cudaStreamSynchronize", trace.now_ns()).pause(3000);
  }
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.method, AnchorMethod::kKernelSequence);
  ASSERT_EQ(cycles.cycles.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(cycles.cycles[i].launches, static_cast<std::int64_t>(5 + i % 4));
  }
}

TEST(Turns, may_wait_twice) {
  TraceText trace;
  for (int i = 0; i < 12; ++i) {
    trace.pause(20000);
    score(trace, 3);
    trace.launch("cudaStreamSynchronize", trace.now_ns()).pause(50);
    trace.launch("cudaLaunchKernel", trace.now_ns()).kernel("sort_scores", 3000, 200);
    trace.launch("cudaLaunchKernel", trace.now_ns()).kernel("take_best", 3000, 200);
    trace.launch("cudaStreamSynchronize", trace.now_ns()).pause(50);
  }
  const Cycles cycles = cycles_of(trace);
  ASSERT_GE(cycles.cycles.size(), 11U);
  for (const Cycle& cycle : cycles.cycles) {
    EXPECT_TRUE(!cycle.complete || cycle.launches == 7) << cycle.launches;
  }
}

TEST(Turns, repeat_where_nothing_says_when_a_result_is_taken) {
  TraceText trace;
  for (int i = 0; i < 12; ++i) {
    trace.pause(30000);
    for (const char* name : {"hash", "expand", "mix", "mix", "fold"}) trace.kernel(name, 2000, 200);
  }
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.method, AnchorMethod::kKernelSequence);
  ASSERT_GE(cycles.cycles.size(), 10U);
  for (const Cycle& cycle : cycles.cycles) EXPECT_EQ(cycle.launches, 5);
}

TEST(Turns, a_model_of_two_layers_has_steps) {
  TraceText trace;
  for (int i = 0; i < 20; ++i) {
    const auto launched = [&](std::string_view name) {
      trace.launch("cudaLaunchKernel", trace.now_ns()).kernel(name, 4000, 1000);
    };
    launched(kernels::kEmbedding);
    for (int layer = 0; layer < 2; ++layer) {
      for (const std::string_view name :
           {kernels::kNorm, kernels::kGemm, kernels::kSdpa, kernels::kGemm, kernels::kActivation}) {
        launched(name);
      }
    }
    launched(kernels::kArgmax);
    trace.launch("cudaStreamSynchronize", trace.now_ns()).pause(3000);
  }
  const Cycles cycles = cycles_of(trace);
  ASSERT_EQ(cycles.cycles.size(), 20U);
  for (const Cycle& cycle : cycles.cycles) EXPECT_EQ(cycle.launches, 12);
}

TEST(Turns, of_single_kernels_are_launches) {
  TraceText trace;
  for (int i = 0; i < 12; ++i) {
    trace.launch("cudaLaunchKernel", trace.now_ns()).kernel("gather_rows", 4000, 2000);
    trace.launch("cudaStreamSynchronize", trace.now_ns()).pause(3000);
  }
  EXPECT_EQ(cycles_of(trace).method, AnchorMethod::kLaunch);
}

}  // namespace
}  // namespace tactus
