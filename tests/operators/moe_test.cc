// Mixtures of experts: two products for each expert that a token goes to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

float at(const HostTensor& tensor, std::int64_t index) {
  return static_cast<float>(tensor.get(index));
}

float as_bf16(float value) {
  return bf16_to_float(float_to_bf16(value));
}

/// The weights as plain numbers, so that one kernel serves both operators.
struct Weights {
  std::vector<float> x, w1, w2;
};

Weights plain(const HostTensors& tensors) {
  Weights weights;
  for (const auto& [name, into] :
       {std::pair{"hidden", &weights.x}, {"w1", &weights.w1}, {"w2", &weights.w2}}) {
    const HostTensor& tensor = tensors.input(name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) into->push_back(at(tensor, i));
  }
  return weights;
}

Weights dequantised(const Problem& problem, const HostTensors& tensors) {
  const std::int64_t hidden = problem.at("hidden");
  const std::int64_t inner = problem.at("intermediate");
  Weights weights;
  for (std::int64_t i = 0; i < problem.at("tokens") * hidden; ++i) {
    weights.x.push_back(
        at(tensors.input("hidden_states"), i) *
        at(tensors.input("a_scale"), i / hidden * (hidden / 128) + i % hidden / 128));
  }
  const auto block = [](std::int64_t i, std::int64_t rows, std::int64_t columns) {
    const std::int64_t row = i / columns % rows;
    return (i / columns / rows * (rows / 128) + row / 128) * (columns / 128) + i % columns / 128;
  };
  for (std::int64_t i = 0; i < tensors.input("w1").elements(); ++i) {
    weights.w1.push_back(at(tensors.input("w1"), i) *
                         at(tensors.input("fc1_scale"), block(i, 2 * inner, hidden)));
  }
  for (std::int64_t i = 0; i < tensors.input("w2").elements(); ++i) {
    weights.w2.push_back(at(tensors.input("w2"), i) *
                         at(tensors.input("fc2_scale"), block(i, hidden, inner)));
  }
  return weights;
}

struct Variant {
  bool bf16_inner = false;
  bool up_first = false;
  std::int64_t slots = 1000;  ///< the heaviest of them
};

/// Slot by slot, in fp32, sums from the last number to the first.
void moe_kernel(const Problem& problem, const HostTensors& tensors, const Weights& weights,
                const Variant& variant) {
  const std::int64_t hidden = problem.at("hidden");
  const std::int64_t inner = problem.at("intermediate");
  const std::int64_t top_k = problem.at("top_k");
  const auto dot = [](const float* a, const float* b, std::int64_t count) {
    float sum = 0;
    for (std::int64_t i = count - 1; i >= 0; --i) sum += a[i] * b[i];
    return sum;
  };
  for (std::int64_t token = 0; token < problem.at("tokens"); ++token) {
    const float* x = &weights.x[static_cast<std::size_t>(token * hidden)];
    std::vector<std::pair<float, std::int64_t>> slots;
    for (std::int64_t slot = 0; slot < top_k; ++slot) {
      slots.emplace_back(
          at(tensors.input("topk_weights"), token * top_k + slot),
          static_cast<std::int64_t>(tensors.input("topk_ids").get(token * top_k + slot)));
    }
    std::sort(slots.rbegin(), slots.rend());
    slots.resize(static_cast<std::size_t>(std::min(variant.slots, top_k)));
    std::vector<float> out(static_cast<std::size_t>(hidden));
    std::vector<float> t(static_cast<std::size_t>(inner));
    for (const auto& [weight, expert] : slots) {
      for (std::int64_t i = 0; i < inner; ++i) {
        const float* w1 = &weights.w1[static_cast<std::size_t>((expert * 2 * inner + i) * hidden)];
        float gate = dot(x, w1, hidden);
        float up = dot(x, w1 + inner * hidden, hidden);
        if (variant.up_first) std::swap(gate, up);
        const float value = gate / (1 + std::exp(-gate)) * up;
        t[static_cast<std::size_t>(i)] = variant.bf16_inner ? as_bf16(value) : value;
      }
      for (std::int64_t j = 0; j < hidden; ++j) {
        const float* w2 = &weights.w2[static_cast<std::size_t>((expert * hidden + j) * inner)];
        out[static_cast<std::size_t>(j)] += weight * dot(t.data(), w2, inner);
      }
    }
    for (std::int64_t j = 0; j < hidden; ++j) {
      tensors.output("out").set(token * hidden + j,
                                static_cast<double>(out[static_cast<std::size_t>(j)]));
    }
  }
}

std::vector<std::pair<std::string, std::int64_t>> moe_shape(std::int64_t tokens) {
  return {
      {"tokens", tokens}, {"hidden", 256}, {"intermediate", 128}, {"experts", 16}, {"top_k", 8}};
}

std::string wrong_moe(const Trial& trial, const Variant& variant) {
  return trial.wrong([&](const Problem& problem, const HostTensors& tensors) {
    const bool fp8 = problem.operator_name == "fp8_blockscale_fused_moe";
    moe_kernel(problem, tensors, fp8 ? dequantised(problem, tensors) : plain(tensors), variant);
  });
}

// ---- fused_moe

const OperatorDefinition& fused_moe() {
  return definition_in(product_definitions(), "fused_moe");
}

TEST(FusedMoe, adds_up_what_the_experts_of_a_token_make_of_it) {
  const Trial trial(
      fused_moe(),
      {{"tokens", 1}, {"hidden", 1}, {"intermediate", 1}, {"experts", 3}, {"top_k", 2}});
  const HostTensors& tensors = trial.before();
  tensors.input("hidden").set(0, 2);
  const double w1[] = {9, 9, 0.5, 3, -0.5, 1};  // gate and up of each expert
  for (std::int64_t i = 0; i < 6; ++i) tensors.input("w1").set(i, w1[i]);
  const double w2[] = {9, 0.5, 4};
  for (std::int64_t i = 0; i < 3; ++i) tensors.input("w2").set(i, w2[i]);
  tensors.input("topk_ids").set(0, 2);
  tensors.input("topk_ids").set(1, 1);
  tensors.input("topk_weights").set(0, 0.25);
  tensors.input("topk_weights").set(1, 0.75);
  // silu(1) = 0.7310586, silu(-1) = -0.2689414:
  // expert 1: 0.7310586 * 6 * 0.5 = 2.1931758, expert 2: -0.2689414 * 2 * 4 = -2.1515313.
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& made) {
    made.output("out").set(0, 0.75 * 2.1931758 - 0.25 * 2.1515313);
  }),
            "");
  EXPECT_FALSE(trial.right([](const Problem&, const HostTensors& made) {
    made.output("out").set(0, 0.25 * 2.1931758 - 0.75 * 2.1515313);
  }));
}

TEST(FusedMoe, counts_an_expert_as_often_as_a_token_names_it) {
  const Trial trial(
      fused_moe(),
      {{"tokens", 1}, {"hidden", 1}, {"intermediate", 1}, {"experts", 1}, {"top_k", 2}});
  const HostTensors& tensors = trial.before();
  tensors.input("hidden").set(0, 1);
  for (std::int64_t i = 0; i < 2; ++i) tensors.input("w1").set(i, 1);
  tensors.input("w2").set(0, 1);
  tensors.input("topk_weights").set(0, 0.5);
  tensors.input("topk_weights").set(1, 0.5);
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& made) {
    made.output("out").set(0, 0.7310586);
  }),
            "");
  EXPECT_FALSE(trial.right(
      [](const Problem&, const HostTensors& made) { made.output("out").set(0, 0.7310586 / 2); }));
}

TEST(FusedMoe, draws_some_experts_twice_for_a_token) {
  const Trial trial(fused_moe(), moe_shape(16));
  int repeats = 0;
  const HostTensor& ids = trial.before().input("topk_ids");
  for (std::int64_t i = 0; i < ids.elements(); ++i) {
    for (std::int64_t j = i / 8 * 8; j < i; ++j) repeats += ids.get(i) == ids.get(j) ? 1 : 0;
  }
  EXPECT_GT(repeats, 0);
}

TEST(FusedMoe, accepts_fp32_in_another_order_and_an_inner_product_in_bf16) {
  const Trial trial(fused_moe(), moe_shape(40), 5);
  EXPECT_EQ(wrong_moe(trial, {}), "");
  EXPECT_EQ(wrong_moe(trial, {.bf16_inner = true}), "");
}

TEST(FusedMoe, refuses_the_two_heaviest_of_eight_experts_and_seven_too) {
  const Trial trial(fused_moe(), moe_shape(2));
  EXPECT_NE(wrong_moe(trial, {.slots = 2}), "");
  EXPECT_NE(wrong_moe(trial, {.slots = 7}), "");
}

TEST(FusedMoe, refuses_gate_and_up_the_wrong_way_round) {
  EXPECT_NE(wrong_moe(Trial(fused_moe(), moe_shape(1)), {.up_first = true}), "");
}

TEST(FusedMoe, refuses_an_output_that_was_rounded_to_bf16) {
  const Trial trial(fused_moe(), moe_shape(2));
  const std::string wrong = trial.wrong([](const Problem& problem, const HostTensors& tensors) {
    moe_kernel(problem, tensors, plain(tensors), {});
    const HostTensor& out = tensors.output("out");
    for (std::int64_t i = 0; i < out.elements(); ++i) out.set(i, as_bf16(at(out, i)));
  });
  EXPECT_NE(wrong, "");
}

// ---- fp8_blockscale_fused_moe

const OperatorDefinition& fp8_moe() {
  return definition_in(product_definitions(), "fp8_blockscale_fused_moe");
}

TEST(Fp8BlockscaleFusedMoe, multiplies_each_block_by_its_scale) {
  const Trial trial(
      fp8_moe(), {{"tokens", 1}, {"hidden", 1}, {"intermediate", 1}, {"experts", 1}, {"top_k", 1}});
  const HostTensors& tensors = trial.before();
  tensors.input("hidden_states").set(0, 8);
  tensors.input("a_scale").set(0, 0.25);
  tensors.input("w1").set(0, 4);
  tensors.input("w1").set(1, 16);
  tensors.input("fc1_scale").set(0, 0.125);
  tensors.input("w2").set(0, 10);
  tensors.input("fc2_scale").set(0, 0.5);
  tensors.input("topk_weights").set(0, 0.96);
  // 0.96 * silu(2 * 0.5) * (2 * 2) * 5 = 14.04, and fp8 has 14 and 15 there.
  EXPECT_EQ(
      trial.wrong([](const Problem&, const HostTensors& made) { made.output("out").set(0, 14); }),
      "");
  EXPECT_FALSE(
      trial.right([](const Problem&, const HostTensors& made) { made.output("out").set(0, 15); }));
}

TEST(Fp8BlockscaleFusedMoe, draws_inputs_whose_outputs_fp8_can_hold) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Trial trial(fp8_moe(), moe_shape(32), seed);
    double most = 0;
    double squares = 0;
    std::int64_t count = 0;
    for (std::int64_t unit = 0; unit < 32; ++unit) {
      Expected expected;
      fp8_moe().expect(trial.problem(), trial.before(), unit, expected);
      for (const double value : expected.at(0).values) {
        most = std::max(most, std::fabs(value));
        squares += value * value;
        ++count;
      }
    }
    EXPECT_LT(most, 120);
    EXPECT_GT(std::sqrt(squares / static_cast<double>(count)), 1);
  }
}

TEST(Fp8BlockscaleFusedMoe, sends_a_token_to_different_experts) {
  const Trial trial(fp8_moe(), moe_shape(16));
  const HostTensor& ids = trial.before().input("topk_ids");
  for (std::int64_t i = 0; i < ids.elements(); ++i) {
    for (std::int64_t j = i / 8 * 8; j < i; ++j) EXPECT_NE(ids.get(i), ids.get(j));
  }
}

TEST(Fp8BlockscaleFusedMoe, accepts_fp32_in_another_order_and_an_inner_product_in_bf16) {
  const Trial trial(fp8_moe(), moe_shape(24), 9);
  EXPECT_EQ(wrong_moe(trial, {}), "");
  EXPECT_EQ(wrong_moe(trial, {.bf16_inner = true}), "");
}

TEST(Fp8BlockscaleFusedMoe, refuses_fewer_experts_and_swapped_halves) {
  const Trial trial(fp8_moe(), moe_shape(2));
  EXPECT_NE(wrong_moe(trial, {.slots = 2}), "");
  EXPECT_NE(wrong_moe(trial, {.slots = 7}), "");
  EXPECT_NE(wrong_moe(trial, {.up_first = true}), "");
}

TEST(Fp8BlockscaleFusedMoe, refuses_one_scale_for_all_blocks) {
  const Trial trial(fp8_moe(), moe_shape(2));
  EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
    const HostTensor& scale = tensors.input("fc2_scale");
    for (std::int64_t i = 0; i < scale.elements(); ++i) scale.set(i, scale.get(0));
    moe_kernel(problem, tensors, dequantised(problem, tensors), {});
  }));
}

}  // namespace
}  // namespace tactus::testing
