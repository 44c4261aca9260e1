#include "cycles/passes/passes.h"

#include <gtest/gtest.h>

#include <random>

#include "cycles/passes/run_passes.h"
#include "cycles/trace_text.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::add_layer;
using testing::add_pass;
using testing::import_json;
using testing::kLayerKernels;
using testing::PassShape;
using testing::TraceText;
namespace kernels = testing::kernels;

constexpr PassShape kDecode = {.unit_ns = 1'000};
constexpr PassShape kPrefill = {.unit_ns = 20'000, .gemm = kernels::kPrefillGemm};
constexpr std::size_t kPassKernels = 3 + 8 * kLayerKernels + 2;

/// The passes of the first stream.
std::vector<Pass> passes_of(const TraceText& text) {
  const auto run = import_json(text.json());
  DecodedNames names(run);
  const std::vector<KernelStream> streams = kernel_streams(run, {});
  AnnotatedSteps annotated(run);
  return streams.empty() ? std::vector<Pass>() : find_passes(streams[0], names, annotated);
}

/// The same, with what they work on.
std::vector<Pass> worked_passes_of(const TraceText& text) {
  const auto run = import_json(text.json());
  RunPasses passes(run);
  const auto streams = passes.streams({});
  return streams.empty() ? std::vector<Pass>() : streams[0].passes;
}

TEST(Passes, prefill_and_decode_are_told_apart_by_their_tokens_not_by_how_long_they_take) {
  TraceText text;
  PassShape prefill = kPrefill;
  prefill.tokens = 512;
  add_pass(text, prefill);
  for (int i = 0; i < 10; ++i) {
    PassShape decode = i == 5 ? kPrefill : kDecode;  // a slow one is a decode pass all the same
    decode.tokens = decode.sequences = 4;
    add_pass(text, decode);
  }
  const std::vector<Pass> passes = worked_passes_of(text);
  ASSERT_EQ(passes.size(), 11U);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    EXPECT_EQ(passes[i].first, i * kPassKernels);
    EXPECT_EQ(passes[i].end, (i + 1) * kPassKernels);
    EXPECT_EQ(passes[i].layers_first, passes[i].first + 3);
    EXPECT_EQ(passes[i].layers_end, passes[i].end - 2);
    EXPECT_EQ(passes[i].layers, 8U);
    EXPECT_EQ(passes[i].kernels_per_layer, kLayerKernels);
    EXPECT_EQ(passes[i].work.phase, i == 0 ? Phase::kPrefill : Phase::kDecode) << i;
    EXPECT_EQ(passes[i].work.evidence, Evidence::kShapes);
    EXPECT_EQ(passes[i].work.tokens, i == 0 ? 512 : 4);
    EXPECT_TRUE(passes[i].complete);
  }
}

TEST(Passes, without_shapes_long_and_short_passes_are_of_no_known_phase) {
  TraceText text;
  add_pass(text, kPrefill);
  for (int i = 0; i < 10; ++i) add_pass(text, kDecode);
  const std::vector<Pass> passes = worked_passes_of(text);
  ASSERT_EQ(passes.size(), 11U);
  for (const Pass& pass : passes) {
    EXPECT_EQ(pass.work.phase, Phase::kUnknown);
    EXPECT_EQ(pass.layers, 8U);
  }
}

TEST(Passes, the_names_of_attention_kernels_tell_the_phase_of_a_single_pass) {
  const std::pair<std::string_view, Phase> cases[] = {
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
       Phase::kPrefill},
      {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u, 4u, "
       "8u, 16u, 4u, 2u>(int)",
       Phase::kDecode}};
  for (const auto& [attention, phase] : cases) {
    TraceText text;
    add_pass(text, {.attention = attention, .writes_cache = true});
    const std::vector<Pass> passes = worked_passes_of(text);
    ASSERT_EQ(passes.size(), 1U);
    EXPECT_EQ(passes[0].work.phase, phase) << attention;
    EXPECT_EQ(passes[0].work.evidence, Evidence::kNames);
  }
}

TEST(Passes, a_pass_that_the_recording_cuts_is_not_complete) {
  TraceText text;
  for (int layer = 0; layer < 3; ++layer) add_layer(text, kDecode, layer);
  text.kernel(kernels::kArgmax, 500);
  for (int i = 0; i < 5; ++i) add_pass(text, kDecode);
  text.pause(50'000).kernel(kernels::kCopy, 500).kernel(kernels::kEmbedding, 500);
  text.kernel(kernels::kNorm, 500);
  for (int layer = 0; layer < 5; ++layer) add_layer(text, kDecode, layer);
  const std::vector<Pass> passes = passes_of(text);
  ASSERT_EQ(passes.size(), 7U);
  EXPECT_FALSE(passes.front().complete);
  EXPECT_EQ(passes.front().layers, 3U);
  EXPECT_FALSE(passes.back().complete);
  EXPECT_EQ(passes.back().layers, 5U);
  for (std::size_t i = 1; i + 1 < passes.size(); ++i) {
    EXPECT_TRUE(passes[i].complete);
    EXPECT_EQ(passes[i].layers, 8U);
  }
}

TEST(Passes, a_layer_with_a_kernel_more_is_still_a_layer_of_its_pass) {
  TraceText text;
  for (int i = 0; i < 6; ++i) {
    PassShape shape = kDecode;
    shape.split_layer = i;
    add_pass(text, shape);
  }
  const std::vector<Pass> passes = passes_of(text);
  ASSERT_EQ(passes.size(), 6U);
  for (const Pass& pass : passes) EXPECT_EQ(pass.layers, 8U);
}

TEST(Passes, without_embedding_and_sampling_the_longest_pause_parts_them) {
  TraceText text;
  for (int i = 0; i < 6; ++i) add_pass(text, {.embeds = false, .samples = false});
  const std::vector<Pass> passes = worked_passes_of(text);
  ASSERT_EQ(passes.size(), 6U);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    EXPECT_EQ(passes[i].first, i * kPassKernels);
    EXPECT_EQ(passes[i].work.phase, Phase::kUnknown);  // it may be an encoder
  }
}

TEST(Passes, layers_that_take_turns_are_counted_one_by_one) {
  constexpr std::string_view kSliding =
      "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvSlidingOrChunkedCausalP16VarSeqQ128Kv128"
      "PersistentContext";
  constexpr std::string_view kFull =
      "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext";
  TraceText text;
  for (int i = 0; i < 3; ++i) {
    text.pause(50'000).kernel(kernels::kEmbedding, 500).kernel(kernels::kNorm, 500);
    for (int layer = 0; layer < 24; ++layer) {
      add_layer(text, {.attention = layer % 2 == 0 ? kSliding : kFull, .writes_cache = true},
                layer);
    }
    text.kernel(kernels::kArgmax, 500);
  }
  const std::vector<Pass> passes = worked_passes_of(text);
  ASSERT_EQ(passes.size(), 3U);
  for (const Pass& pass : passes) {
    EXPECT_EQ(pass.layers, 24U);
    EXPECT_EQ(pass.kernels_per_layer, kLayerKernels + 1);
    EXPECT_EQ(pass.work.phase, Phase::kPrefill);
  }
}

TEST(Passes, kernels_that_torch_compile_numbers_apart_are_the_same) {
  TraceText text;
  for (int i = 0; i < 4; ++i) {
    text.pause(50'000).kernel(kernels::kEmbedding, 500);
    for (int layer = 0; layer < 12; ++layer) {
      const std::string number = std::to_string(layer % 5);
      text.kernel("triton_red_fused_add_mean_mul_pow_rsqrt_" + number, 1'000);
      text.kernel(kernels::kGemm, 1'000).kernel(kernels::kSdpa, 1'000);
      text.kernel(kernels::kGemm, 1'000);
      text.kernel("triton_poi_fused_mul_silu_" + std::to_string(layer % 3), 1'000);
      text.kernel(kernels::kGemm, 1'000);
    }
    text.kernel(kernels::kArgmax, 500);
  }
  const std::vector<Pass> passes = passes_of(text);
  ASSERT_EQ(passes.size(), 4U);
  for (const Pass& pass : passes) EXPECT_EQ(pass.layers, 12U);
}

TEST(Passes, layers_that_choose_their_kernels_at_random_are_found_by_what_they_compute) {
  constexpr std::string_view kGemms[] = {
      "nvjet_tst_128x32_64x10_4x1_v_bz_TNT", "nvjet_tst_64x64_64x16_2x1_v_bz_TNT",
      "nvjet_tst_192x8_64x8_4x1_v_bz_TNT", "nvjet_tst_256x16_64x4_2x1_v_bz_TNT"};
  std::mt19937 random(3);
  TraceText text;
  for (int i = 0; i < 5; ++i) {
    text.pause(50'000).kernel(kernels::kEmbedding, 500).kernel(kernels::kNorm, 500);
    for (int layer = 0; layer < 16; ++layer) {
      text.kernel(kGemms[random() % 4], 1'000).kernel(kernels::kSdpa, 1'000);
      text.kernel(kGemms[random() % 4], 1'000).kernel(kernels::kAddNorm, 1'000);
      text.kernel(kGemms[random() % 4], 1'000).kernel(kernels::kActivation, 1'000);
      text.kernel(kGemms[random() % 4], 1'000).kernel(kernels::kAddNorm, 1'000);
    }
    text.kernel(kernels::kArgmax, 500);
  }
  const std::vector<Pass> passes = passes_of(text);
  ASSERT_EQ(passes.size(), 5U);
  for (const Pass& pass : passes) EXPECT_EQ(pass.layers, 16U);
}

TEST(Passes, layers_with_a_loop_over_as_many_experts_as_are_wanted_are_layers) {
  std::mt19937 random(8);
  TraceText text;
  for (int i = 0; i < 12; ++i) {
    text.pause(50'000).kernel(kernels::kEmbedding, 500).kernel(kernels::kNorm, 500);
    for (int layer = 0; layer < 16; ++layer) {
      text.kernel(kernels::kSplitGemm, 1'000).kernel(kernels::kSdpa, 1'000);
      text.kernel(kernels::kPrefillGemm, 1'000).kernel(kernels::kAddNorm, 1'000);
      const std::size_t experts = 4 + random() % 8;
      for (std::size_t expert = 0; expert < experts; ++expert) {
        text.kernel("where", 500).kernel(kernels::kGemm, 1'000).kernel(kernels::kActivation, 500);
        text.kernel(kernels::kGemm, 1'000).kernel("index_add", 500);
      }
      text.kernel(kernels::kAddNorm, 1'000);
    }
    text.kernel(kernels::kArgmax, 500);
  }
  const std::vector<Pass> passes = passes_of(text);
  ASSERT_EQ(passes.size(), 12U);
  for (const Pass& pass : passes) EXPECT_EQ(pass.layers, 16U);
}

TEST(Passes, programs_that_are_no_transformers_have_none) {
  TraceText loop, constant, few;
  for (int i = 0; i < 300; ++i) {
    for (const char* name : {"advec_cell", "advec_mom", "calc_dt", "flux_calc", "viscosity"}) {
      loop.kernel(name, 1'000);
    }
    constant.kernel(kernels::kGemm, 1'000);
  }
  few.kernel(kernels::kGemm, 1'000);
  EXPECT_TRUE(passes_of(loop).empty());
  EXPECT_TRUE(passes_of(constant).empty());
  EXPECT_TRUE(passes_of(few).empty());
}

TEST(Passes, start_up_work_before_the_first_pass_belongs_to_none) {
  TraceText text;
  for (int i = 0; i < 200; ++i) text.kernel(kernels::kCopy, 500);
  for (int i = 0; i < 4; ++i) add_pass(text, kDecode);
  const std::vector<Pass> passes = passes_of(text);
  ASSERT_EQ(passes.size(), 4U);
  EXPECT_EQ(passes[0].first, 200U);
}

TEST(RunPasses, an_annotation_on_the_device_says_the_phase_of_the_kernels_in_it) {
  TraceText text;
  add_pass(text, kDecode);
  text.annotation("gpu_user_annotation", "step[EXTEND bs=2 toks=100]", 0, text.now_ns());
  const auto run = import_json(text.json());
  RunPasses passes(run);
  EXPECT_EQ(passes.streams({})[0].passes[0].work.phase, Phase::kPrefill);
  const std::vector<Phase> phases = passes.phases({});
  EXPECT_EQ(std::count(phases.begin(), phases.end(), Phase::kPrefill), kPassKernels);
}

TEST(RunPasses, an_annotation_on_the_host_says_the_phase_of_what_was_launched_in_it) {
  TraceText text;
  text.annotation("user_annotation", "execute_context_0(0)_generation_4(4)", 1'000, 500);
  text.annotation("user_annotation", "execute_context_1(99)_generation_0(0)", 2'000, 500);
  text.pause(10'000);
  text.launch("cudaLaunchKernel", 1'200).kernel("a", 100);
  text.launch("cudaLaunchKernel", 2'200).kernel("b", 100);
  text.launch("cudaLaunchKernel", 3'200).kernel("c", 100);
  const auto run = import_json(text.json());
  RunPasses passes(run);
  const std::vector<Phase> phases = passes.phases({});
  const std::vector<KernelStream> streams = kernel_streams(run, {});
  std::vector<Phase> of_kernels;
  for (const std::uint32_t row : streams[0].rows) of_kernels.push_back(phases[row]);
  EXPECT_EQ(of_kernels, (std::vector<Phase>{Phase::kDecode, Phase::kPrefill, Phase::kUnknown}));
}

}  // namespace
}  // namespace tactus
