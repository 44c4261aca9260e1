#include "bench/diagnosis/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "operators/number_formats.h"
#include "operators/reference.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

constexpr double kAllUnits = 1e18;

/// One operator in one shape, and what is said about what a kernel makes of it.
class Diagnosed {
 public:
  using Kernel = std::function<void(const Problem&, const HostTensors&)>;

  Diagnosed(const char* name, ShapeParameters shape)
      : definition_(**find_definition(name)),
        problem_(*make_problem(definition_, shape)),
        before_(problem_) {
    draw_tensors(definition_, problem_, before_.tensors(), 7, 1);
  }

  Failure operator()(const Kernel& kernel) const {
    const TensorMemory after(before_);
    kernel(problem_, after.tensors());
    const CheckedOutputs judgement = judge(definition_, problem_, before_.tensors(),
                                           after.tensors(), kAllUnits, /*seed=*/1, /*threads=*/2);
    EXPECT_FALSE(judgement.right);
    return diagnose(definition_, problem_, before_.tensors(), after.tensors(), judgement);
  }

 private:
  const OperatorDefinition& definition_;
  Problem problem_;
  TensorMemory before_;
};

ShapeParameters shape_of(std::vector<std::pair<std::string, std::int64_t>> values) {
  ShapeParameters shape;
  shape.values = std::move(values);
  shape.dtype = NumberType::kBf16;
  return shape;
}

std::vector<std::string> names_of(const Failure& failure) {
  std::vector<std::string> names;
  for (const LikelyMistake& mistake : failure.mistakes) names.push_back(mistake.name);
  return names;
}

bool names(const Failure& failure, const std::string& name) {
  const std::vector<std::string> all = names_of(failure);
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::string words_of(const Failure& failure) {
  std::string words;
  for (const std::string& observation : failure.pattern) words += observation + "; ";
  for (const LikelyMistake& mistake : failure.mistakes) words += mistake.text + "; ";
  return words;
}

using Names = std::vector<std::string>;

struct RmsMistake {
  float eps = 1e-6f;
  bool weighted = true;
  bool cut = false;
  bool rounds_scale = false;
  std::int64_t row_of_input = 0;  ///< added to the row, within the rows
  std::int64_t row_of_output = 0;
  std::int64_t left_out = 0;           ///< of the sum
  std::int64_t unwritten_columns = 0;  ///< at the end
  std::function<bool(std::int64_t)> skips = [](std::int64_t) { return false; };
};

Diagnosed::Kernel rms_norm(const RmsMistake& mistake) {
  return [mistake](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    const std::int64_t tokens = problem.at("tokens");
    const HostTensor& x = tensors.input("x");
    for (std::int64_t row = 0; row < tokens; ++row) {
      if (mistake.skips(row)) continue;
      const std::int64_t from = (row + mistake.row_of_input + tokens) % tokens * hidden;
      float squares = 0;
      for (std::int64_t i = 0; i < hidden - mistake.left_out; ++i) {
        const auto value = static_cast<float>(x.get(from + i));
        squares += value * value;
      }
      float scale = 1 / std::sqrt(squares / static_cast<float>(hidden) + mistake.eps);
      if (mistake.rounds_scale) scale = bf16_to_float(float_to_bf16(scale));
      for (std::int64_t i = 0; i < hidden - mistake.unwritten_columns; ++i) {
        const auto weight =
            mistake.weighted ? static_cast<float>(tensors.input("weight").get(i)) : 1.0f;
        const float value = static_cast<float>(x.get(from + i)) * scale * weight;
        const std::int64_t to = (row + mistake.row_of_output + tokens) % tokens * hidden + i;
        const auto bits = __builtin_bit_cast(std::uint32_t, value);
        tensors.output("out").as<std::uint16_t>()[to] =
            mistake.cut ? static_cast<std::uint16_t>(bits >> 16) : float_to_bf16(value);
      }
    }
  };
}

Failure rms_failure(const RmsMistake& mistake) {
  static const Diagnosed kDiagnosed("rms_norm", shape_of({{"tokens", 96}, {"hidden", 160}}));
  return kDiagnosed(rms_norm(mistake));
}

TEST(Diagnosis, has_the_first_wrong_numbers_with_what_is_allowed_and_the_inputs_around) {
  const Failure failure = rms_failure({.skips = [](std::int64_t row) { return row == 5; }});
  EXPECT_EQ(failure.checked, 96 * 160);
  EXPECT_EQ(failure.wrong, 160);
  ASSERT_EQ(failure.first.size(), 8u);
  EXPECT_EQ(failure.first[0].output, "out");
  EXPECT_EQ(failure.first[3].indices, (std::vector<std::int64_t>{5, 3}));
  EXPECT_TRUE(std::isnan(failure.first[3].got));
  EXPECT_TRUE(std::isfinite(failure.first[3].expected));
  EXPECT_EQ(failure.first[3].allowed.substr(0, 16), "the nearest bf16");
  ASSERT_EQ(failure.inputs.size(), 2u);
  EXPECT_EQ(failure.inputs[0].name, "x");
  EXPECT_EQ(failure.inputs[0].indices, (std::vector<std::int64_t>{5, 0}));
  EXPECT_EQ(failure.inputs[0].values.size(), 8u);
  EXPECT_EQ(failure.inputs[1].name, "weight");
}

TEST(Diagnosis, says_where_the_wrong_numbers_are) {
  EXPECT_NE(words_of(rms_failure({.skips = [](std::int64_t row) { return row == 5; }}))
                .find("only in row 5, every number there; the wrong numbers were not written"),
            std::string::npos);
  EXPECT_NE(words_of(rms_failure({.skips = [](std::int64_t row) { return row >= 90; }}))
                .find("rows 90 to 95 (the last)"),
            std::string::npos);
  EXPECT_NE(words_of(rms_failure({.skips = [](std::int64_t row) { return row < 2; }}))
                .find("rows 0 to 1 (the first)"),
            std::string::npos);
  EXPECT_NE(words_of(rms_failure({.skips = [](std::int64_t row) { return row % 16 == 3; }}))
                .find("every 16th row, from row 3 on"),
            std::string::npos);
  EXPECT_NE(words_of(rms_failure({.skips = [](std::int64_t row) { return row % 16 != 0; }}))
                .find("all but every 16th row, from row 0 on"),
            std::string::npos);
  EXPECT_NE(words_of(rms_failure({.unwritten_columns = 24})).find("columns 136 to 159 (the last)"),
            std::string::npos);
}

TEST(Diagnosis, names_no_mistake_for_numbers_that_were_not_written) {
  EXPECT_EQ(names_of(rms_failure({.unwritten_columns = 24})), Names{});
}

TEST(Diagnosis, names_the_mistakes_of_a_norm) {
  EXPECT_EQ(names_of(rms_failure({.eps = 1e-5f})), Names{"wrong_epsilon"});
  EXPECT_NE(words_of(rms_failure({.eps = 1e-5f})).find("as if eps were 1e-05"), std::string::npos);
  EXPECT_NE(words_of(rms_failure({.eps = 0})).find("as if eps were missing"), std::string::npos);
  EXPECT_EQ(names_of(rms_failure({.weighted = false})), Names{"forgot_input"});
  EXPECT_NE(words_of(rms_failure({.weighted = false})).find("as if weight were all 1"),
            std::string::npos);
  EXPECT_EQ(names_of(rms_failure({.cut = true})), Names{"wrong_rounding"});
  EXPECT_EQ(names_of(rms_failure({.rounds_scale = true})), Names{"wrong_row_factor"});
  EXPECT_TRUE(names(rms_failure({.row_of_input = 1}), "off_by_one_row"));
  EXPECT_TRUE(names(rms_failure({.row_of_output = 1}), "off_by_one_row"));
  EXPECT_EQ(names_of(rms_failure({.left_out = 1})), Names{"missing_tail"});
  EXPECT_EQ(names_of(rms_failure({.left_out = 32})), Names{"missing_tail"});
}

TEST(Diagnosis, names_nothing_that_explains_only_a_part) {
  const Diagnosed diagnosed("rms_norm", shape_of({{"tokens", 96}, {"hidden", 160}}));
  const Failure failure = diagnosed([](const Problem& problem, const HostTensors& tensors) {
    rms_norm({.eps = 1e-5f})(problem, tensors);
    const HostTensor& out = tensors.output("out");
    for (std::int64_t i = 0; i < out.elements(); i += 7) out.set(i, 1234);
  });
  EXPECT_EQ(names_of(failure), Names{});
}

TEST(Diagnosis, knows_a_matrix_that_was_written_by_columns) {
  const Diagnosed diagnosed("rms_norm", shape_of({{"tokens", 24}, {"hidden", 160}}));
  const Failure failure = diagnosed([](const Problem& problem, const HostTensors& tensors) {
    rms_norm({})(problem, tensors);
    const HostTensor& out = tensors.output("out");
    const std::vector<std::uint16_t> right(out.as<std::uint16_t>(),
                                           out.as<std::uint16_t>() + out.elements());
    for (std::int64_t i = 0; i < 24 * 160; ++i) {
      out.as<std::uint16_t>()[i % 160 * 24 + i / 160] = right[static_cast<std::size_t>(i)];
    }
  });
  EXPECT_EQ(names_of(failure), Names{"transposed"});
}

TEST(Diagnosis, knows_gate_and_up_that_were_swapped) {
  const Diagnosed diagnosed("silu_and_mul", shape_of({{"tokens", 9}, {"width", 256}}));
  const Failure failure = diagnosed([](const Problem&, const HostTensors& tensors) {
    for (std::int64_t i = 0; i < tensors.output("out").elements(); ++i) {
      const std::int64_t left = i / 128 * 256 + i % 128;
      const double up = tensors.input("x").get(left);
      const double gate = tensors.input("x").get(left + 128);
      const double silu = rounded(NumberType::kBf16, gate / (1 + std::exp(-gate)));
      tensors.output("out").set(i, silu * up);
    }
  });
  EXPECT_TRUE(names(failure, "swapped_gate_up")) << words_of(failure);
}

TEST(Diagnosis, knows_a_factor_that_is_missing) {
  const Diagnosed diagnosed("moe_sum_reduce",
                            shape_of({{"tokens", 6}, {"top_k", 4}, {"hidden", 64}}));
  const Failure failure = diagnosed([](const Problem&, const HostTensors& tensors) {
    for (std::int64_t i = 0; i < tensors.output("out").elements(); ++i) {
      double sum = 0;
      for (std::int64_t slot = 0; slot < 4; ++slot) {
        sum += tensors.input("x").get((i / 64 * 4 + slot) * 64 + i % 64);
      }
      tensors.output("out").set(i, sum);
    }
  });
  EXPECT_TRUE(names(failure, "forgot_scale")) << words_of(failure);
}

/// Heads turned by their positions: by `sign`, with pairs `half` apart or side by side.
Diagnosed::Kernel rope(double sign, bool neighbours) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("heads");
    const std::int64_t kv_heads = problem.at("kv_heads");
    const std::int64_t width = problem.at("head_dim");
    const std::int64_t all = heads + 2 * kv_heads;
    for (std::int64_t row = 0; row < problem.at("tokens") * all; ++row) {
      const std::int64_t head = row % all;
      const std::int64_t token = row / all;
      const bool is_q = head < heads;
      const bool is_v = head >= heads + kv_heads;
      const HostTensor& out = tensors.output(is_q ? "q" : is_v ? "v" : "k");
      const std::int64_t to = is_q ? (token * heads + head) * width
                                   : (token * kv_heads + (head - heads) % kv_heads) * width;
      const auto x = [&](std::int64_t i) { return tensors.input("qkv").get(row * width + i); };
      for (std::int64_t i = 0; i < width / 2; ++i) {
        const std::int64_t a = neighbours ? 2 * i : i;
        const std::int64_t b = neighbours ? 2 * i + 1 : i + width / 2;
        const double angle =
            is_v
                ? 0
                : sign * tensors.input("positions").get(token) *
                      std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(width));
        out.set(to + a, x(a) * std::cos(angle) - x(b) * std::sin(angle));
        out.set(to + b, x(b) * std::cos(angle) + x(a) * std::sin(angle));
      }
    }
  };
}

TEST(Diagnosis, knows_the_mistakes_of_a_rotation) {
  const Diagnosed diagnosed(
      "fused_qkv_rope",
      shape_of({{"tokens", 5}, {"heads", 4}, {"kv_heads", 2}, {"head_dim", 32}, {"rope_dim", 32}}));
  EXPECT_EQ(names_of(diagnosed(rope(-1, false))), Names{"wrong_turn"});
  EXPECT_EQ(names_of(diagnosed(rope(1, true))), Names{"interleaved_pairs"});
}

struct AttentionMistake {
  bool causal = false;
  bool subtracts = true;  ///< the largest score, before exp()
  double scale = 0.25;
};

Diagnosed::Kernel attention(const AttentionMistake& mistake) {
  return [mistake](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("heads");
    const std::int64_t width = problem.at("head_dim");
    const std::int64_t tokens = tensors.input("q").spec->shape[0];
    for (std::int64_t row = 0; row < tokens * heads; ++row) {
      const std::int64_t keys = mistake.causal ? row / heads + 1 : tokens;
      std::vector<float> scores;
      float largest = -HUGE_VALF;
      for (std::int64_t j = 0; j < keys; ++j) {
        double sum = 0;
        for (std::int64_t i = 0; i < width; ++i) {
          sum += tensors.input("q").get(row * width + i) *
                 tensors.input("k").get((j * heads + row % heads) * width + i);
        }
        scores.push_back(static_cast<float>(sum * mistake.scale));
        largest = std::max(largest, scores.back());
      }
      float total = 0;
      for (float& score : scores) {
        score = std::exp(mistake.subtracts ? score - largest : score);
        total += score;
      }
      for (std::int64_t i = 0; i < width; ++i) {
        float out = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
          const double value = tensors.input("v").get((j * heads + row % heads) * width + i);
          out += scores[static_cast<std::size_t>(j)] * static_cast<float>(value);
        }
        tensors.output("out").set(row * width + i, out / total);
      }
    }
  };
}

TEST(Diagnosis, knows_the_mistakes_of_attention) {
  ShapeParameters shape = shape_of({{"heads", 4}, {"head_dim", 16}});
  shape.sequences = {{.length = 48, .count = 1}};
  const Diagnosed diagnosed("attention_forward", shape);
  EXPECT_EQ(names_of(diagnosed(attention({.causal = true}))), Names{"extra_mask"});
  EXPECT_EQ(names_of(diagnosed(attention({.subtracts = false}))), Names{"max_not_subtracted"});
  EXPECT_EQ(names_of(diagnosed(attention({.scale = 1}))), Names{"forgot_scale"});
}

/// What the definition gives for inputs that were changed first.
Diagnosed::Kernel reference_of(std::function<void(const HostTensors&)> change) {
  return [change = std::move(change)](const Problem& problem, const HostTensors& tensors) {
    const OperatorDefinition& definition = **find_definition(problem.operator_name);
    const TensorMemory changed(problem);
    for (std::size_t i = 0; i < tensors.inputs.size(); ++i) {
      std::memcpy(changed.tensors().inputs[i].data, tensors.inputs[i].data,
                  static_cast<std::size_t>(tensors.inputs[i].spec->bytes()));
    }
    change(changed.tensors());
    run_reference(definition, problem, changed.tensors(), 2);
    for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
      std::memcpy(tensors.outputs[i].data, changed.tensors().outputs[i].data,
                  static_cast<std::size_t>(tensors.outputs[i].spec->bytes()));
    }
  };
}

void set_all(const HostTensor& tensor, double value) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) tensor.set(i, value);
}

TEST(Diagnosis, knows_inputs_of_products_that_were_forgotten_or_read_by_columns) {
  const Diagnosed linear("linear_sigmoid_mul",
                         shape_of({{"tokens", 6}, {"hidden", 96}, {"out", 40}}));
  const Failure without_bias =
      linear(reference_of([](const HostTensors& t) { set_all(t.input("bias"), 0); }));
  EXPECT_EQ(names_of(without_bias), Names{"forgot_input"});
  EXPECT_NE(words_of(without_bias).find("as if bias were all 0"), std::string::npos);
  const Failure by_columns = linear(reference_of([](const HostTensors& t) {
    const HostTensor& weight = t.input("weight");
    const std::vector<std::uint16_t> copy(weight.as<std::uint16_t>(),
                                          weight.as<std::uint16_t>() + weight.elements());
    for (std::int64_t i = 0; i < 40 * 96; ++i) {
      weight.as<std::uint16_t>()[i] = copy[static_cast<std::size_t>(i % 96 * 40 + i / 96)];
    }
  }));
  EXPECT_EQ(names_of(by_columns), Names{"transposed"});
}

TEST(Diagnosis, knows_the_mistakes_of_experts) {
  const Diagnosed diagnosed(
      "fused_moe",
      shape_of(
          {{"tokens", 5}, {"hidden", 64}, {"intermediate", 32}, {"experts", 4}, {"top_k", 2}}));
  EXPECT_EQ(names_of(diagnosed(
                reference_of([](const HostTensors& t) { set_all(t.input("topk_weights"), 1); }))),
            Names{"forgot_input"});
  EXPECT_EQ(names_of(diagnosed(reference_of([](const HostTensors& t) {
              const HostTensor& w1 = t.input("w1");
              for (std::int64_t expert = 0; expert < 4; ++expert) {
                std::uint16_t* first = w1.as<std::uint16_t>() + expert * 64 * 64;
                std::swap_ranges(first, first + 32 * 64, first + 32 * 64);
              }
            }))),
            Names{"swapped_gate_up"});
}

TEST(Diagnosis, knows_lengths_that_are_off_by_one) {
  const Diagnosed diagnosed(
      "mla_decode_attention",
      shape_of({{"batch", 4}, {"context", 24}, {"heads", 2}, {"latent", 64}, {"rope_dim", 32}}));
  const Failure failure = diagnosed(reference_of([](const HostTensors& t) {
    const HostTensor& lengths = t.input("seq_lens");
    for (std::int64_t i = 0; i < lengths.elements(); ++i) {
      lengths.set(i, std::max(1.0, lengths.get(i) - 1));
    }
  }));
  EXPECT_TRUE(names(failure, "off_by_one_length")) << words_of(failure);
}

TEST(Diagnosis, knows_a_mask_that_is_missing) {
  ShapeParameters shape =
      shape_of({{"heads", 2}, {"kv_heads", 1}, {"head_dim", 16}, {"block_size", 16}});
  shape.sequences = {{.length = 40, .count = 2}};
  const Diagnosed diagnosed("unified_attention", shape);
  const Failure failure = diagnosed([](const Problem& problem, const HostTensors& tensors) {
    // One query less in each sequence: it has no mask then. Its last one comes from the next.
    const OperatorDefinition& definition = **find_definition("unified_attention");
    auto* starts = tensors.input("cu_seqlens_q").as<std::int32_t>();
    for (std::int64_t unit = 0; unit < definition.units(problem); ++unit) {
      const std::int64_t token = unit / 2;
      const std::int64_t sequence = token / 40;
      const bool is_last = token % 40 == 39;
      std::int32_t& moved = starts[is_last ? sequence : sequence + 1];
      moved += is_last ? 1 : -1;
      Expected expected;
      definition.expect(problem, tensors, unit, expected);
      moved -= is_last ? 1 : -1;
      for (std::size_t i = 0; i < expected[0].values.size(); ++i) {
        tensors.output("out").set(expected[0].first + static_cast<std::int64_t>(i),
                                  expected[0].values[i]);
      }
    }
  });
  EXPECT_EQ(names_of(failure), Names{"forgot_mask"});
}

TEST(Diagnosis, of_what_was_not_written_needs_no_comparison) {
  const OperatorDefinition& definition = **find_definition("rms_norm");
  const Problem problem = *make_problem(definition, shape_of({{"tokens", 40}, {"hidden", 16}}));
  const TensorMemory memory(problem);
  draw_tensors(definition, problem, memory.tensors(), 1, 1);
  const TensorMemory after(memory);
  rms_norm({.skips = [](std::int64_t row) { return row % 10 == 4; }})(problem, after.tensors());
  const Failure failure =
      diagnose_unwritten(definition, problem, memory.tensors(), after.tensors());
  EXPECT_EQ(failure.wrong, 4 * 16);
  EXPECT_EQ(failure.checked, 40 * 16);
  ASSERT_FALSE(failure.first.empty());
  EXPECT_EQ(failure.first[0].indices, (std::vector<std::int64_t>{4, 0}));
  EXPECT_TRUE(std::isfinite(failure.first[0].expected));
  EXPECT_NE(words_of(failure).find("every 10th row, from row 4 on"), std::string::npos);
}

TEST(Diagnosis, survives_the_reference_of_every_operator_with_one_wrong_number) {
  // Nothing to name; but every mistake is tried on every kind of tensor.
  const std::pair<const char*, ShapeParameters> kOperators[] = {
      {"fused_moe",
       shape_of(
           {{"tokens", 3}, {"hidden", 64}, {"intermediate", 32}, {"experts", 4}, {"top_k", 2}})},
      {"layer_norm", shape_of({{"tokens", 3}, {"hidden", 64}})},
      {"causal_conv1d", shape_of({{"tokens", 9}, {"channels", 6}, {"width", 4}})},
      {"moe_topk_gating_softmax", shape_of({{"tokens", 5}, {"experts", 16}, {"top_k", 4}})}};
  for (const auto& [name, shape] : kOperators) {
    const Diagnosed diagnosed(name, shape);
    const Failure failure = diagnosed([&](const Problem& problem, const HostTensors& tensors) {
      const OperatorDefinition& definition = **find_definition(problem.operator_name);
      for (std::int64_t unit = 0; unit < definition.units(problem); ++unit) {
        Expected expected;
        definition.expect(problem, tensors, unit, expected);
        for (const ExpectedRun& run : expected) {
          for (std::size_t i = 0; i < run.values.size(); ++i) {
            tensors.outputs[run.output].set(run.first + static_cast<std::int64_t>(i),
                                            run.values[i]);
          }
        }
      }
      tensors.outputs[0].set(0, 100);
    });
    EXPECT_GE(failure.wrong, 1) << name;
    EXPECT_EQ(names_of(failure), Names{}) << name << ": " << words_of(failure);
  }
}

}  // namespace
}  // namespace tactus::testing
