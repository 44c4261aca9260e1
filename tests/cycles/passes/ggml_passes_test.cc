// Passes of llama.cpp: tokens are embedded on the host, words are chosen there, and the last layer
// drops the positions that get no word. Long prompts come in pieces, which follow each other at
// once.
#include <gtest/gtest.h>

#include "cycles/passes/run_passes.h"
#include "cycles/trace_text.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::TraceText;

constexpr int kLayers = 16;

class GgmlTrace {
 public:
  /// `words` of `tokens` positions get a word.
  void add_pass(long tokens, long words, long pause_ns = 500'000) {
    text_.pause(pause_ns);
    for (int layer = 0; layer < kLayers; ++layer) {
      norm(tokens);
      for (int i = 0; i < 3; ++i) product(tokens);
      text_.kernel("void rope_norm<true, false, float>(float const*, float*, int)", 1000);
      text_.kernel("void k_set_rows<float, long, __half>(float const*, long const*, __half*)",
                   1000);
      text_.kernel(tokens <= 8 ? "void flash_attn_ext_vec<128, 1, (ggml_type)1>(char const*)"
                               : "void flash_attn_ext_f16<128, 128, 16, 4, false>(char const*)",
                   1000);
      product(tokens);
      const bool is_last = layer + 1 == kLayers;
      if (is_last && words == 0) return;
      if (is_last) {
        for (int i = 0; i < 2; ++i) {
          text_.kernel("void k_get_rows_float<float, float>(float const*, int const*)", 1000);
        }
      }
      norm(is_last ? words : tokens);
      for (int i = 0; i < 2; ++i) product(is_last ? words : tokens);
    }
    norm(words);
    product(words);
  }

  std::vector<Pass> passes() const {
    const auto run = testing::import_json(text_.json());
    RunPasses passes(run);
    const auto streams = passes.streams({});
    return streams.empty() ? std::vector<Pass>() : streams[0].passes;
  }

 private:
  void norm(long rows) {
    text_.kernel_of_blocks("void rms_norm_f32<1024, true, false>(float const*, float*, int)", rows,
                           1000);
  }
  void product(long tokens) {
    text_.kernel("void quantize_q8_1(float const*, void*, long)", 500);
    text_.kernel(tokens <= 8 ? "void mul_mat_vec_q<(ggml_type)2, 1, false>(void const*)"
                             : "void mul_mat_q<(ggml_type)2, 64, false>(char const*)",
                 3000);
  }

  TraceText text_;
};

TEST(GgmlPasses, begin_where_the_device_idles_and_have_the_tokens_of_their_norms) {
  GgmlTrace trace;
  trace.add_pass(65, 1);
  for (int i = 0; i < 20; ++i) trace.add_pass(i < 10 ? 1 : 3, i < 10 ? 1 : 3);
  trace.add_pass(41, 1);
  for (int i = 0; i < 10; ++i) trace.add_pass(1, 1);
  const std::vector<Pass> passes = trace.passes();
  ASSERT_EQ(passes.size(), 32U);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const long tokens = i == 0 ? 65 : i <= 10 ? 1 : i <= 20 ? 3 : i == 21 ? 41 : 1;
    EXPECT_EQ(passes[i].work.tokens, static_cast<double>(tokens)) << i;
    EXPECT_EQ(passes[i].work.phase, tokens > 8 ? Phase::kPrefill : Phase::kDecode) << i;
    EXPECT_EQ(passes[i].layers, static_cast<std::size_t>(kLayers)) << i;
  }
}

TEST(GgmlPasses, pieces_of_long_prompts_are_passes_of_their_own) {
  GgmlTrace trace;
  for (int prompt = 0; prompt < 4; ++prompt) {
    for (int piece = 0; piece < 1 + prompt; ++piece) {
      trace.add_pass(512, 0, piece == 0 ? 500'000 : 100);
    }
    trace.add_pass(200 + prompt, 1, 100);
    for (int i = 0; i < 12; ++i) trace.add_pass(1, 1);
  }
  std::size_t prefill = 0;
  std::size_t decode = 0;
  for (const Pass& pass : trace.passes()) {
    prefill += pass.work.phase == Phase::kPrefill ? 1 : 0;
    decode += pass.work.phase == Phase::kDecode ? 1 : 0;
  }
  EXPECT_EQ(decode, 48U);
  EXPECT_EQ(prefill, 14U);
}

}  // namespace
}  // namespace tactus
