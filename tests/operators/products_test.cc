// Matrix products with something around them.
#include <gtest/gtest.h>

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

void round_to_bf16(const HostTensor& tensor) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) tensor.set(i, as_bf16(at(tensor, i)));
}

// ---- block_scaled_mm

const OperatorDefinition& block_scaled_mm() {
  return definition_in(product_definitions(), "block_scaled_mm");
}

std::vector<std::pair<std::string, std::int64_t>> blocks(std::int64_t m, std::int64_t n,
                                                         std::int64_t k) {
  return {{"m", m}, {"n", n}, {"k", k}, {"group_n", 128}, {"group_k", 128}};
}

/// The sum inside one block of k, from the last to the first.
float backwards(const HostTensor& a, std::int64_t a_first, const HostTensor& b,
                std::int64_t b_first, std::int64_t count) {
  float sum = 0;
  for (std::int64_t t = count - 1; t >= 0; --t) sum += at(a, a_first + t) * at(b, b_first + t);
  return sum;
}

/// As fp8 tensor cores do it: 32 products and the sum so far are cut to 13 bits below the largest.
float short_accumulator(const HostTensor& a, std::int64_t a_first, const HostTensor& b,
                        std::int64_t b_first, std::int64_t count) {
  double sum = 0;
  for (std::int64_t first = 0; first < count; first += 32) {
    std::vector<double> terms = {sum};
    for (std::int64_t t = first; t < std::min(first + 32, count); ++t) {
      terms.push_back(a.get(a_first + t) * b.get(b_first + t));
    }
    double largest = 0;
    for (const double term : terms) largest = std::max(largest, std::fabs(term));
    if (largest == 0) continue;
    const double unit = std::ldexp(1, std::ilogb(largest) - 13);
    sum = 0;
    for (const double term : terms) sum += std::trunc(term / unit) * unit;
  }
  return static_cast<float>(sum);
}

template <class Inner>
void multiply_blocks(const Problem& problem, const HostTensors& tensors, Inner inner) {
  const std::int64_t n = problem.at("n");
  const std::int64_t k = problem.at("k");
  for (std::int64_t i = 0; i < problem.at("m"); ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t g = 0; g < k / 128; ++g) {
        const float part =
            inner(tensors.input("a"), i * k + g * 128, tensors.input("b"), j * k + g * 128, 128);
        sum += part * at(tensors.input("a_scales"), i * (k / 128) + g) *
               at(tensors.input("b_scales"), j / 128 * (k / 128) + g);
      }
      tensors.output("out").set(i * n + j, static_cast<double>(sum));
    }
  }
}

TEST(BlockScaledMm, multiplies_each_block_of_k_by_its_two_scales) {
  const Trial trial(block_scaled_mm(), blocks(1, 2, 256));
  for (std::int64_t t = 0; t < 256; ++t) {
    trial.before().input("a").set(t, t < 128 ? 2 : 3);
    trial.before().input("b").set(t, 1);
    trial.before().input("b").set(256 + t, t < 128 ? -1 : 0.5);
  }
  trial.before().input("a_scales").set(0, 0.5);
  trial.before().input("a_scales").set(1, 0.25);
  trial.before().input("b_scales").set(0, 1);
  trial.before().input("b_scales").set(1, 2);
  // 256 * 0.5 * 1 + 384 * 0.25 * 2, and -256 * 0.5 * 1 + 192 * 0.25 * 2.
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& tensors) {
    tensors.output("out").set(0, 320);
    tensors.output("out").set(1, -32);
  }),
            "");
  EXPECT_FALSE(trial.right([](const Problem&, const HostTensors& tensors) {
    tensors.output("out").set(0, 320);
    tensors.output("out").set(1, -33);
  }));
}

TEST(BlockScaledMm, accepts_fp32_in_another_order) {
  const Trial trial(block_scaled_mm(), blocks(5, 256, 1024));
  EXPECT_EQ(trial.wrong([](const Problem& problem, const HostTensors& tensors) {
    multiply_blocks(problem, tensors, backwards);
  }),
            "");
}

TEST(BlockScaledMm, accepts_the_short_accumulators_of_fp8_tensor_cores) {
  const Trial trial(block_scaled_mm(), blocks(8, 256, 2048), 3);
  EXPECT_EQ(trial.wrong([](const Problem& problem, const HostTensors& tensors) {
    multiply_blocks(problem, tensors, short_accumulator);
  }),
            "");
}

TEST(BlockScaledMm, refuses_an_output_that_was_rounded_to_bf16) {
  const Trial trial(block_scaled_mm(), blocks(2, 256, 512));
  const std::string wrong = trial.wrong([](const Problem& problem, const HostTensors& tensors) {
    multiply_blocks(problem, tensors, backwards);
    round_to_bf16(tensors.output("out"));
  });
  EXPECT_NE(wrong, "");
}

TEST(BlockScaledMm, refuses_scales_of_another_block_and_zeros) {
  const Trial trial(block_scaled_mm(), blocks(2, 256, 512));
  EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
    for (std::int64_t i = 0; i < tensors.input("b_scales").elements(); ++i) {
      tensors.input("b_scales").set(i, tensors.input("b_scales").get(0));
    }
    multiply_blocks(problem, tensors, backwards);
  }));
  EXPECT_FALSE(trial.right([](const Problem&, const HostTensors& tensors) {
    const HostTensor& out = tensors.output("out");
    for (std::int64_t i = 0; i < out.elements(); ++i) out.set(i, 0);
  }));
}

TEST(BlockScaledMm, refuses_a_product_that_leaves_out_the_last_numbers) {
  const Trial trial(block_scaled_mm(), blocks(1, 256, 2048));
  EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
    const HostTensor& a = tensors.input("a");
    for (std::int64_t t = 2040; t < 2048; ++t) a.set(t, 0);
    multiply_blocks(problem, tensors, backwards);
  }));
}

// ---- linear_sigmoid_mul

const OperatorDefinition& linear_sigmoid_mul() {
  return definition_in(product_definitions(), "linear_sigmoid_mul");
}

void linear_sigmoid_mul_kernel(const Problem& problem, const HostTensors& tensors) {
  const std::int64_t hidden = problem.at("hidden");
  const std::int64_t out = problem.at("out");
  for (std::int64_t i = 0; i < tensors.output("out").elements(); ++i) {
    float gate = at(tensors.input("bias"), i % out);
    for (std::int64_t t = hidden - 1; t >= 0; --t) {
      gate += at(tensors.input("hidden"), i / out * hidden + t) *
              at(tensors.input("weight"), i % out * hidden + t);
    }
    const float sigmoid = 1 / (1 + std::exp(-as_bf16(gate)));
    tensors.output("out").set(i, static_cast<double>(sigmoid * at(tensors.input("post"), i)));
  }
}

TEST(LinearSigmoidMul, gates_post_with_the_sigmoid_of_a_linear_layer) {
  const Trial trial(linear_sigmoid_mul(), {{"tokens", 1}, {"hidden", 2}, {"out", 2}});
  const HostTensors& tensors = trial.before();
  for (std::int64_t i = 0; i < 2; ++i) tensors.input("hidden").set(i, static_cast<double>(i + 1));
  const double weight[] = {1, -0.5, 3, 1};
  for (std::int64_t i = 0; i < 4; ++i) tensors.input("weight").set(i, weight[i]);
  tensors.input("bias").set(0, 0);
  tensors.input("bias").set(1, -5);
  tensors.input("post").set(0, 3);
  tensors.input("post").set(1, -2);
  // Gates 1 - 1 + 0 and 3 + 2 - 5: both sigmoids are a half.
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& made) {
    made.output("out").set(0, 1.5);
    made.output("out").set(1, -1);
  }),
            "");
}

TEST(LinearSigmoidMul, accepts_fp32_in_another_order) {
  const Trial trial(linear_sigmoid_mul(), {{"tokens", 20}, {"hidden", 512}, {"out", 200}}, 7);
  EXPECT_EQ(trial.wrong(linear_sigmoid_mul_kernel), "");
}

TEST(LinearSigmoidMul, refuses_half_of_post_without_any_product) {
  const Trial trial(linear_sigmoid_mul(), {{"tokens", 2}, {"hidden", 256}, {"out", 128}});
  EXPECT_FALSE(trial.right([](const Problem&, const HostTensors& tensors) {
    const HostTensor& out = tensors.output("out");
    for (std::int64_t i = 0; i < out.elements(); ++i) {
      out.set(i, tensors.input("post").get(i) / 2);
    }
  }));
}

TEST(LinearSigmoidMul, refuses_a_missing_bias_and_a_missing_last_column) {
  const Trial trial(linear_sigmoid_mul(), {{"tokens", 2}, {"hidden", 256}, {"out", 128}});
  EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
    for (std::int64_t i = 0; i < 128; ++i) tensors.input("bias").set(i, 0);
    linear_sigmoid_mul_kernel(problem, tensors);
  }));
  EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
    tensors.input("hidden").set(255, 0);
    tensors.input("hidden").set(511, 0);
    linear_sigmoid_mul_kernel(problem, tensors);
  }));
}

}  // namespace
}  // namespace tactus::testing
