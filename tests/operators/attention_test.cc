// Attention, over whole sequences and over caches in pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

using Values = std::vector<std::pair<std::string, std::int64_t>>;

/// A shape with sequences, drawn; candidates work on a copy.
class SequenceTrial {
 public:
  SequenceTrial(std::string_view name, Values values, std::vector<SequenceRun> sequences,
                std::uint64_t seed = 1, NumberType dtype = NumberType::kBf16)
      : definition_(definition_in(attention_definitions(), name)) {
    ShapeParameters shape;
    shape.values = std::move(values);
    shape.sequences = std::move(sequences);
    shape.dtype = dtype;
    problem_ = std::move(*make_problem(definition_, shape));
    before_ = std::make_unique<TensorMemory>(problem_);
    draw_tensors(definition_, problem_, before_->tensors(), seed, 1);
  }

  const HostTensors& before() const { return before_->tensors(); }

  std::string wrong(const Trial::Kernel& kernel) const {
    const TensorMemory after(*before_);
    kernel(problem_, after.tensors());
    return testing::wrong(definition_, problem_, before_->tensors(), after.tensors());
  }
  bool right(const Trial::Kernel& kernel) const { return wrong(kernel).empty(); }

 private:
  const OperatorDefinition& definition_;
  Problem problem_;
  std::unique_ptr<TensorMemory> before_;
};

/// Where a kernel finds its numbers, and what it may get wrong.
struct Row {
  const HostTensor& q;
  std::int64_t q_first;
  std::int64_t width;
  std::int64_t value_width;
  std::int64_t keys;
  float scale;
};

/// As flash attention does it: 16 keys at a time, a running maximum, probabilities in 16 bits.
template <class Key, class Value>
void flash_row(const Row& row, Key key, Value value, const HostTensor& out, std::int64_t first) {
  constexpr std::int64_t kBlock = 16;
  float top = -HUGE_VALF;
  float total = 0;
  std::vector<float> sums(static_cast<std::size_t>(row.value_width));
  for (std::int64_t start = 0; start < row.keys; start += kBlock) {
    const std::int64_t end = std::min(start + kBlock, row.keys);
    std::vector<float> scores;
    for (std::int64_t j = start; j < end; ++j) {
      float score = 0;
      for (std::int64_t d = 0; d < row.width; ++d) {
        score += static_cast<float>(row.q.get(row.q_first + d)) * static_cast<float>(key(j, d));
      }
      scores.push_back(score * row.scale);
    }
    const float new_top = std::max(top, *std::max_element(scores.begin(), scores.end()));
    const float shrink = std::exp(top - new_top);
    total *= shrink;
    for (float& sum : sums) sum *= shrink;
    top = new_top;
    for (std::int64_t j = start; j < end; ++j) {
      const float p = std::exp(scores[static_cast<std::size_t>(j - start)] - top);
      total += p;
      const auto stored = static_cast<float>(rounded(out.spec->dtype, static_cast<double>(p)));
      for (std::int64_t c = 0; c < row.value_width; ++c) {
        sums[static_cast<std::size_t>(c)] += stored * static_cast<float>(value(j, c));
      }
    }
  }
  for (std::int64_t c = 0; c < row.value_width; ++c) {
    out.set(first + c, static_cast<double>(sums[static_cast<std::size_t>(c)] / total));
  }
}

// ---- attention_forward

struct ForwardVariant {
  bool causal = false;
  bool scaled = true;
  bool joined = false;  ///< all sequences as one
  std::int64_t left_out = 0;
};

Trial::Kernel forward_kernel(ForwardVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("heads");
    const std::int64_t width = problem.at("head_dim");
    const HostTensor& k = tensors.input("k");
    const HostTensor& v = tensors.input("v");
    const HostTensor& starts = tensors.input("cu_seqlens_q");
    const auto sequences = starts.elements() - 1;
    for (std::int64_t s = 0; s < sequences; ++s) {
      const auto first = static_cast<std::int64_t>(starts.get(s));
      const auto end = static_cast<std::int64_t>(starts.get(s + 1));
      for (std::int64_t t = first; t < end; ++t) {
        for (std::int64_t h = 0; h < heads; ++h) {
          const std::int64_t from = variant.joined ? 0 : first;
          const std::int64_t keys = (variant.causal ? t + 1 : end) - from - variant.left_out;
          const auto read = [&](const HostTensor& tensor) {
            return [&, from, h](std::int64_t j, std::int64_t d) {
              return tensor.get(((from + j) * heads + h) * width + d);
            };
          };
          const std::int64_t at = (t * heads + h) * width;
          flash_row({tensors.input("q"), at, width, width, keys,
                     variant.scaled ? static_cast<float>(problem.value("scale")) : 1.0f},
                    read(k), read(v), tensors.output("out"), at);
        }
      }
    }
  };
}

TEST(AttentionForward, weighs_values_by_the_softmax_of_their_scores) {
  const SequenceTrial trial("attention_forward", {{"heads", 1}, {"head_dim", 4}}, {{2, 1}});
  const double q[] = {1, 1, 0, 0, 0, 0, 0, 0};
  const double k[] = {2, 0, 5, 0, 0, 0, 0, 7};
  const double v[] = {1, 0, 4, -8, 3, 8, 4, 8};
  for (std::int64_t i = 0; i < 8; ++i) {
    trial.before().input("q").set(i, q[i]);
    trial.before().input("k").set(i, k[i]);
    trial.before().input("v").set(i, v[i]);
  }
  // Scores of the first query 2/2 and 0: weights 0.7310586 and 0.2689414. The second sees no
  // difference and takes the mean.
  const double wanted[] = {1.5378828, 2.1515313, 4, -3.6969373, 2, 4, 4, 0};
  const auto write = [&](const Problem&, const HostTensors& tensors) {
    for (std::int64_t i = 0; i < 8; ++i) tensors.output("out").set(i, wanted[i]);
  };
  EXPECT_EQ(trial.wrong(write), "");
  EXPECT_FALSE(trial.right([&](const Problem& problem, const HostTensors& tensors) {
    write(problem, tensors);
    tensors.output("out").set(1, 2.25);
  }));
}

TEST(AttentionForward, accepts_flash_attention) {
  EXPECT_EQ(SequenceTrial("attention_forward", {{"heads", 2}, {"head_dim", 72}}, {{150, 1}})
                .wrong(forward_kernel()),
            "");
  EXPECT_EQ(SequenceTrial("attention_forward", {{"heads", 2}, {"head_dim", 64}}, {{33, 2}, {5, 1}},
                          4, NumberType::kFp16)
                .wrong(forward_kernel()),
            "");
}

TEST(AttentionForward, refuses_a_mask_a_missing_scale_and_mixed_sequences) {
  const SequenceTrial trial("attention_forward", {{"heads", 2}, {"head_dim", 64}}, {{40, 2}});
  EXPECT_EQ(trial.wrong(forward_kernel()), "");
  EXPECT_FALSE(trial.right(forward_kernel({.causal = true})));
  EXPECT_FALSE(trial.right(forward_kernel({.scaled = false})));
  EXPECT_FALSE(trial.right(forward_kernel({.joined = true})));
}

TEST(AttentionForward, refuses_one_key_less_among_many) {
  const SequenceTrial trial("attention_forward", {{"heads", 1}, {"head_dim", 64}}, {{300, 1}});
  EXPECT_FALSE(trial.right(forward_kernel({.left_out = 1})));
}

// ---- unified_attention

struct UnifiedVariant {
  bool causal = true;
  bool through_table = true;
  bool own_kv_head = true;
};

Trial::Kernel unified_kernel(UnifiedVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("heads");
    const std::int64_t kv_heads = problem.at("kv_heads");
    const std::int64_t width = problem.at("head_dim");
    const std::int64_t page = problem.at("block_size");
    const HostTensor& table = tensors.input("block_table");
    const HostTensor& starts = tensors.input("cu_seqlens_q");
    const std::int64_t columns = table.spec->shape[1];
    for (std::int64_t s = 0; s + 1 < starts.elements(); ++s) {
      const auto first = static_cast<std::int64_t>(starts.get(s));
      const auto queries = static_cast<std::int64_t>(starts.get(s + 1)) - first;
      const auto used = static_cast<std::int64_t>(tensors.input("seqused_k").get(s));
      for (std::int64_t i = 0; i < queries * heads; ++i) {
        const std::int64_t t = i / heads;
        const std::int64_t h = i % heads;
        const std::int64_t kv = variant.own_kv_head ? h / (heads / kv_heads) : h % kv_heads;
        const auto read = [&](const HostTensor& cache) {
          return [&, kv](std::int64_t j, std::int64_t d) {
            const auto block = variant.through_table
                                   ? static_cast<std::int64_t>(table.get(s * columns + j / page))
                                   : s * columns + j / page;
            return cache.get(((block * page + j % page) * kv_heads + kv) * width + d);
          };
        };
        const std::int64_t at = ((first + t) * heads + h) * width;
        const std::int64_t keys = variant.causal && queries == used ? t + 1 : used;
        flash_row({tensors.input("q"), at, width, width, keys,
                   static_cast<float>(problem.value("scale"))},
                  read(tensors.input("k_cache")), read(tensors.input("v_cache")),
                  tensors.output("out"), at);
      }
    }
  };
}

Values unified_values() {
  return {{"heads", 4}, {"kv_heads", 2}, {"head_dim", 72}, {"block_size", 16}};
}

TEST(UnifiedAttention, gives_the_first_token_the_value_it_finds_through_the_table) {
  const SequenceTrial trial("unified_attention",
                            {{"heads", 1}, {"kv_heads", 1}, {"head_dim", 2}, {"block_size", 16}},
                            {{1, 2}});
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& tensors) {
    const std::int64_t columns = tensors.input("block_table").spec->shape[1];
    for (std::int64_t s = 0; s < 2; ++s) {
      const auto block = static_cast<std::int64_t>(tensors.input("block_table").get(s * columns));
      for (std::int64_t d = 0; d < 2; ++d) {
        tensors.output("out").set(s * 2 + d, tensors.input("v_cache").get(block * 32 + d));
      }
    }
  }),
            "");
}

TEST(UnifiedAttention, draws_tables_in_which_no_block_occurs_twice_or_where_it_is_expected) {
  const SequenceTrial trial("unified_attention", unified_values(), {{100, 3}});
  const HostTensor& table = trial.before().input("block_table");
  std::vector<double> blocks;
  std::int64_t in_place = 0;
  for (std::int64_t i = 0; i < table.elements(); ++i) {
    blocks.push_back(table.get(i));
    in_place += table.get(i) == static_cast<double>(i) ? 1 : 0;
  }
  std::sort(blocks.begin(), blocks.end());
  EXPECT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end());
  EXPECT_GE(blocks.front(), 0);
  EXPECT_LT(blocks.back(), static_cast<double>(trial.before().input("k_cache").spec->shape[0]));
  EXPECT_LT(in_place, 5);
}

TEST(UnifiedAttention, accepts_flash_attention) {
  EXPECT_EQ(SequenceTrial("unified_attention", unified_values(), {{33, 2}, {16, 1}, {70, 1}}, 2)
                .wrong(unified_kernel()),
            "");
}

TEST(UnifiedAttention, shows_all_keys_to_queries_that_are_fewer) {
  const SequenceTrial trial("unified_attention", unified_values(), {{20, 2}});
  trial.before().input("seqused_k").set(1, 31);
  EXPECT_EQ(trial.wrong(unified_kernel()), "");
}

TEST(UnifiedAttention, refuses_no_mask_blocks_in_order_and_the_wrong_heads) {
  const SequenceTrial trial("unified_attention", unified_values(), {{40, 2}});
  EXPECT_FALSE(trial.right(unified_kernel({.causal = false})));
  EXPECT_FALSE(trial.right(unified_kernel({.through_table = false})));
  EXPECT_FALSE(trial.right(unified_kernel({.own_kv_head = false})));
}

TEST(UnifiedAttention, says_what_is_wrong_with_a_shape) {
  const OperatorDefinition& definition =
      definition_in(attention_definitions(), "unified_attention");
  ShapeParameters shape;
  shape.values = unified_values();
  EXPECT_EQ(make_problem(definition, shape).error().message,
            "unified_attention: the sequences are missing");
  shape.sequences = {{0, 3}};
  EXPECT_EQ(make_problem(definition, shape).error().message,
            "unified_attention: a run of sequences is empty");
  shape.sequences = {{1ll << 40, 1ll << 40}};
  EXPECT_EQ(make_problem(definition, shape).error().message,
            "unified_attention: the sequences have more tokens than int32 can count");
  shape.sequences = {{3, 1}};
  shape.values[1].second = 3;
  EXPECT_EQ(make_problem(definition, shape).error().message,
            "unified_attention: heads of 4 is not a multiple of kv_heads of 3");
}

// ---- paged_attention_decode

struct DecodeVariant {
  bool whole_blocks = false;
  bool in_order = false;
  bool plain_keys = false;  ///< keys read as if they were laid out like values
};

Trial::Kernel decode_kernel(DecodeVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("heads");
    const std::int64_t kv_heads = problem.at("kv_heads");
    const std::int64_t width = problem.at("head_dim");
    const HostTensor& table = tensors.input("block_tables");
    const std::int64_t columns = table.spec->shape[1];
    for (std::int64_t i = 0; i < problem.at("sequences") * heads; ++i) {
      const std::int64_t s = i / heads;
      const std::int64_t kv = i % heads / (heads / kv_heads);
      auto keys = static_cast<std::int64_t>(tensors.input("seq_lens").get(s));
      if (variant.whole_blocks) keys = (keys + 15) / 16 * 16;
      const auto block = [&](std::int64_t j) {
        const auto b = variant.in_order
                           ? s * columns + j / 16
                           : static_cast<std::int64_t>(table.get(s * columns + j / 16));
        return b * kv_heads + kv;
      };
      const auto value = [&](std::int64_t j, std::int64_t d) {
        return tensors.input("v_cache").get((block(j) * width + d) * 16 + j % 16);
      };
      const auto key = [&](std::int64_t j, std::int64_t d) {
        const HostTensor& cache = tensors.input("k_cache");
        if (variant.plain_keys) return cache.get((block(j) * width + d) * 16 + j % 16);
        return cache.get(((block(j) * (width / 8) + d / 8) * 16 + j % 16) * 8 + d % 8);
      };
      flash_row({tensors.input("query"), i * width, width, width, keys,
                 static_cast<float>(problem.value("scale"))},
                key, value, tensors.output("out"), i * width);
    }
  };
}

Values decode_values(std::int64_t sequences) {
  return {{"sequences", sequences}, {"context", 64},  {"heads", 8},
          {"kv_heads", 2},          {"head_dim", 64}, {"block_size", 16}};
}

const OperatorDefinition& decode() {
  return definition_in(attention_definitions(), "paged_attention_decode");
}

TEST(PagedAttentionDecode, gives_a_sequence_of_one_token_its_value) {
  const Trial trial(decode(), {{"sequences", 1},
                               {"context", 1},
                               {"heads", 2},
                               {"kv_heads", 1},
                               {"head_dim", 8},
                               {"block_size", 16}});
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& tensors) {
    const auto block = static_cast<std::int64_t>(tensors.input("block_tables").get(0));
    for (std::int64_t i = 0; i < 16; ++i) {
      tensors.output("out").set(i, tensors.input("v_cache").get((block * 8 + i % 8) * 16));
    }
  }),
            "");
}

TEST(PagedAttentionDecode, draws_sequences_that_end_inside_their_last_block) {
  const Trial trial(decode(), decode_values(32));
  const HostTensor& lengths = trial.before().input("seq_lens");
  std::int64_t full = 0;
  for (std::int64_t i = 0; i < lengths.elements(); ++i) {
    EXPECT_GT(lengths.get(i), 48);
    EXPECT_LE(lengths.get(i), 64);
    full += lengths.get(i) == 64 ? 1 : 0;
  }
  EXPECT_LT(full, 16);
}

TEST(PagedAttentionDecode, accepts_flash_attention_in_bf16_and_fp16) {
  EXPECT_EQ(Trial(decode(), decode_values(5), 3).wrong(decode_kernel()), "");
  EXPECT_EQ(Trial(decode(), decode_values(5), 3, NumberType::kFp16).wrong(decode_kernel()), "");
}

TEST(PagedAttentionDecode, refuses_tokens_after_the_end_blocks_in_order_and_another_layout) {
  const Trial trial(decode(), decode_values(4));
  EXPECT_FALSE(trial.right(decode_kernel({.whole_blocks = true})));
  EXPECT_FALSE(trial.right(decode_kernel({.in_order = true})));
  EXPECT_FALSE(trial.right(decode_kernel({.plain_keys = true})));
}

// ---- mla_decode_attention

Trial::Kernel mla_kernel(std::int64_t left_out = 0, bool latent_only = false) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t latent = problem.at("latent");
    const std::int64_t width = latent + problem.at("rope_dim");
    const std::int64_t heads = problem.at("heads");
    for (std::int64_t i = 0; i < problem.at("batch") * heads; ++i) {
      const std::int64_t first = i / heads * problem.at("context");
      const auto read = [&](std::int64_t j, std::int64_t d) {
        return tensors.input("kv_cache").get((first + j) * width + d);
      };
      const auto keys = static_cast<std::int64_t>(tensors.input("seq_lens").get(i / heads));
      flash_row({tensors.input("q"), i * width, latent_only ? latent : width, latent,
                 keys - left_out, static_cast<float>(problem.value("scale"))},
                read, read, tensors.output("out"), i * latent);
    }
  };
}

TEST(MlaDecodeAttention, reads_values_from_the_first_part_of_the_keys) {
  const OperatorDefinition& mla = definition_in(attention_definitions(), "mla_decode_attention");
  const Trial one(mla,
                  {{"batch", 2}, {"context", 1}, {"heads", 1}, {"latent", 3}, {"rope_dim", 1}});
  EXPECT_EQ(one.wrong([](const Problem&, const HostTensors& tensors) {
    for (std::int64_t i = 0; i < 6; ++i) {
      tensors.output("out").set(i, tensors.input("kv_cache").get(i / 3 * 4 + i % 3));
    }
  }),
            "");
  const Trial trial(
      mla, {{"batch", 3}, {"context", 100}, {"heads", 4}, {"latent", 128}, {"rope_dim", 64}});
  EXPECT_EQ(trial.wrong(mla_kernel()), "");
  EXPECT_FALSE(trial.right(mla_kernel(1))) << "one key less";
  EXPECT_FALSE(trial.right(mla_kernel(0, true))) << "the rotated part left out of the scores";
}

}  // namespace
}  // namespace tactus::testing
