#include "cycles/phases/unit_work.h"

#include <gtest/gtest.h>

#include "cycles/repeats/kernel_stream.h"
#include "cycles/trace_text.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::add_pass;
using testing::add_product;
using testing::PassShape;
using testing::TraceText;
namespace kernels = testing::kernels;

constexpr std::string_view kPrefillAttention =
    "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext";
constexpr std::string_view kVocabulary = "nvjet_tst_512x32_64x3_2x1_v_bz_TNT";

/// The work of units that begin where a kernel copies ("unrolled_elementwise").
std::vector<StepWork> work_of(const TraceText& text) {
  const auto run = testing::import_json(text.json());
  const std::vector<KernelStream> streams = kernel_streams(run, {});
  UnitKernels units;
  for (std::size_t i = 0; i < streams.at(0).size(); ++i) {
    const std::uint32_t name = streams[0].names[i];
    if (run.strings[StringId(name)] == kernels::kCopy) ++units.count;
    units.rows.push_back(streams[0].rows[i]);
    units.names.push_back(name);
    units.units.push_back(static_cast<std::uint32_t>(units.count - 1));
  }
  DecodedNames names(run);
  return work_of_units(run, units, names);
}

/// A model of eight layers, with an attention op that has these shapes.
void add_unit(TraceText& text, long tokens, long sequences, std::string_view attention_op,
              std::string_view attention_dims) {
  text.pause(10'000).kernel(kernels::kCopy, 500);
  for (int layer = 0; layer < 8; ++layer) {
    add_product(text, kernels::kGemm, 1000, tokens, 4096);
    text.kernel_of_op(attention_op, attention_dims, kPrefillAttention, 1000);
    add_product(text, kernels::kGemm, 1000, tokens, 4096);
  }
  add_product(text, kVocabulary, 1000, sequences, 128'000);
}

TEST(UnitWork, a_packed_step_of_one_token_per_sequence_is_decode_whatever_its_attention_is_called) {
  TraceText text;
  add_pass(text, {.attention = kPrefillAttention, .tokens = 20, .sequences = 20});
  const std::vector<StepWork> work = work_of(text);
  ASSERT_EQ(work.size(), 1U);
  EXPECT_EQ(work[0].phase, Phase::kDecode);
  EXPECT_EQ(work[0].evidence, Evidence::kShapes);
  EXPECT_EQ(work[0].tokens, 20);
  EXPECT_EQ(work[0].sequences, 20);
}

TEST(UnitWork, packed_attention_without_the_ends_of_sequences_leaves_it_to_the_products) {
  TraceText text;
  add_unit(text, 20, 20, "custom::attention", "[[20,32,128],[5000,8,128],[5000,8,128]]");
  const std::vector<StepWork> work = work_of(text);
  EXPECT_EQ(work.at(0).phase, Phase::kDecode);
  EXPECT_EQ(work[0].evidence, Evidence::kShapes);
  EXPECT_EQ(work[0].context, 5000);
}

TEST(UnitWork, keys_that_are_written_into_a_cache_are_the_new_ones_only) {
  for (const std::string_view op : {"vllm::unified_attention_with_output", "custom::attention"}) {
    TraceText text;
    text.pause(10'000).kernel(kernels::kCopy, 500);
    for (int layer = 0; layer < 8; ++layer) {
      add_product(text, kernels::kGemm, 1000, 20, 4096);
      text.kernel("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>()", 500);
      text.kernel_of_op(op, "[[20,32,128],[20,8,128],[20,8,128]]", kPrefillAttention, 1000);
      add_product(text, kernels::kGemm, 1000, 20, 4096);
    }
    add_product(text, kVocabulary, 1000, 20, 128'000);
    const std::vector<StepWork> work = work_of(text);
    EXPECT_EQ(work.at(0).phase, Phase::kDecode) << op;
    EXPECT_EQ(work[0].sequences, 20);
    EXPECT_FALSE(work[0].context) << op;
  }
}

TEST(UnitWork, many_tokens_for_few_words_are_prefill) {
  TraceText text;
  add_pass(text, {.tokens = 512, .sequences = 2});
  EXPECT_EQ(work_of(text).at(0).phase, Phase::kPrefill);
}

TEST(UnitWork, a_few_more_tokens_than_sequences_are_mixed) {
  TraceText text;
  add_pass(text, {.tokens = 30, .sequences = 20});
  EXPECT_EQ(work_of(text).at(0).phase, Phase::kMixed);
}

TEST(UnitWork, shapes_of_attention_come_before_those_of_products) {
  TraceText text;  // words for all positions, as for scores
  add_unit(text, 700, 700, "flash_attn::_flash_attn_varlen_forward",
           "[[700,32,128],[900,8,128],[900,8,128],[4],[4]]");
  const std::vector<StepWork> work = work_of(text);
  EXPECT_EQ(work.at(0).phase, Phase::kPrefill);
  EXPECT_EQ(work[0].evidence, Evidence::kAttention);
  EXPECT_EQ(work[0].sequences, 3);
  EXPECT_EQ(work[0].context, 900);
}

TEST(UnitWork, a_few_drafted_tokens_per_sequence_are_decode) {
  TraceText text;
  add_unit(text, 16, 16, "aten::scaled_dot_product_attention",
           "[[4,32,4,128],[4,8,900,128],[4,8,900,128]]");
  const std::vector<StepWork> work = work_of(text);
  EXPECT_EQ(work.at(0).phase, Phase::kDecode);
  EXPECT_EQ(work[0].tokens, 16);
  EXPECT_EQ(work[0].sequences, 4);
}

TEST(UnitWork, drafted_tokens_are_decode_also_where_the_context_is_in_pages) {
  // Queries, two caches in pages, the ends of the sequences.
  constexpr std::string_view kOp = "_vllm_fa3_C::fwd";
  TraceText text;
  add_unit(text, 32, 32, kOp, "[[32,32,128],[30000,16,8,128],[30000,16,8,128],[9]]");
  add_unit(text, 4, 4, kOp, "[[4,32,128],[30000,16,8,128],[30000,16,8,128],[2]]");
  add_unit(text, 32, 8, kOp, "[[32,32,128],[30000,16,8,128],[30000,16,8,128],[9]]");
  const std::vector<StepWork> work = work_of(text);
  ASSERT_EQ(work.size(), 3U);
  EXPECT_EQ(work[0].phase, Phase::kDecode);
  EXPECT_EQ(work[0].sequences, 8);
  EXPECT_EQ(work[1].phase, Phase::kDecode);
  EXPECT_EQ(work[1].sequences, 1) << "the list of ends says that it is one";
  EXPECT_EQ(work[2].phase, Phase::kPrefill) << "one word per sequence: prompts of four tokens";
}

TEST(UnitWork, rows_of_experts_are_not_tokens) {
  TraceText text;
  text.kernel(kernels::kCopy, 500);
  for (int layer = 0; layer < 8; ++layer) {
    add_product(text, kernels::kGemm, 1000, 20, 4096);
    text.kernel(kPrefillAttention, 1000);
    add_product(text, kernels::kGemm, 1000, 20, 4096);
    for (int expert = 0; expert < 16; ++expert) {
      add_product(text, kernels::kGemm, 1000, 1 + (layer + expert) % 4, 1024);
    }
  }
  add_product(text, kVocabulary, 1000, 20, 128'000);
  const std::vector<StepWork> work = work_of(text);
  EXPECT_EQ(work.at(0).tokens, 20);
  EXPECT_EQ(work[0].phase, Phase::kDecode);
}

TEST(UnitWork, an_encoder_has_no_phases) {
  TraceText text;  // each sequence sees itself only, and every position gets a word
  for (int i = 0; i < 3; ++i) {
    add_unit(text, 512, 512, "aten::scaled_dot_product_attention",
             "[[4,32,128,128],[4,32,128,128],[4,32,128,128]]");
  }
  for (const StepWork& work : work_of(text)) {
    EXPECT_EQ(work.phase, Phase::kUnknown);
    EXPECT_EQ(work.tokens, 512) << "its work is still known";
  }
}

TEST(UnitWork, one_odd_step_does_not_redefine_the_others) {
  TraceText text;
  for (int i = 0; i < 5; ++i) add_pass(text, {.tokens = 20, .sequences = 20});
  add_pass(text, {.tokens = 1, .sequences = 1});
  const std::vector<StepWork> work = work_of(text);
  ASSERT_EQ(work.size(), 6U);
  for (const StepWork& one : work) EXPECT_EQ(one.phase, Phase::kDecode);
}

TEST(UnitWork, names_of_attention_kernels_are_the_last_resort) {
  TraceText text;
  add_pass(text, {.attention = kPrefillAttention, .writes_cache = true});
  add_pass(text, {.attention = "void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::"
                               "PosEncodingMode)0, 2u, 4u, 8u, 16u, 4u, 2u>(int)"});
  const std::vector<StepWork> work = work_of(text);
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].phase, Phase::kPrefill);
  EXPECT_EQ(work[1].phase, Phase::kDecode);
  EXPECT_EQ(work[0].evidence, Evidence::kNames);
  EXPECT_FALSE(work[0].tokens);
}

TEST(UnitWork, nothing_that_tells_leaves_the_phase_open) {
  TraceText text;
  add_pass(text, {});
  const std::vector<StepWork> work = work_of(text);
  EXPECT_EQ(work.at(0).phase, Phase::kUnknown);
  EXPECT_EQ(work[0].evidence, Evidence::kNone);
}

TEST(PhaseOfWork, follows_from_tokens_and_sequences) {
  EXPECT_EQ(phase_of_work(20, 20), Phase::kDecode);
  EXPECT_EQ(phase_of_work(512, 1), Phase::kPrefill);
  EXPECT_EQ(phase_of_work(515, 5), Phase::kPrefill);
  EXPECT_EQ(phase_of_work(30, 20), Phase::kMixed);
}

}  // namespace
}  // namespace tactus
