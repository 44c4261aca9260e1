#include <gtest/gtest.h>

#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

const OperatorDefinition& elementwise(std::string_view name) {
  return definition_in(elementwise_definitions(), name);
}

float bf16(float value) {
  return bf16_to_float(float_to_bf16(value));
}

float at(const HostTensor& tensor, std::int64_t index) {
  return static_cast<float>(tensor.get(index));
}

/// As GPUs have it: a power of two and an approximate quotient.
float silu(float x) {
  return x * (1 / (1 + std::exp2(x * -1.44269504f)));
}

Trial::Kernel silu_kernel(float (*gate)(float), bool rounds_between, bool swapped = false) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t width = problem.at("width");
    const HostTensor& x = tensors.input("x");
    for (std::int64_t i = 0; i < x.elements() / 2; ++i) {
      const std::int64_t left = i / (width / 2) * width + i % (width / 2);
      float first = at(x, left);
      float second = at(x, left + width / 2);
      if (swapped) std::swap(first, second);
      const float activated = gate(first);
      tensors.output("out").set(i, (rounds_between ? bf16(activated) : activated) * second);
    }
  };
}

TEST(SiluAndMul, is_the_silu_of_the_left_half_times_the_right) {
  const Trial tiny(elementwise("silu_and_mul"), {{"tokens", 1}, {"width", 4}});
  const double inputs[] = {0, 2, 5, -3};
  for (int i = 0; i < 4; ++i) tiny.before().input("x").set(i, inputs[i]);
  EXPECT_EQ(tiny.wrong([](const Problem&, const HostTensors& tensors) {
    tensors.output("out").set(0, 0);
    // silu(2) = 1.76159..., 225.48 times the spacing of bf16.
    tensors.output("out").set(1, rounded(NumberType::kBf16, -3 * 225.0 / 128));
  }),
            "");
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Trial trial(elementwise("silu_and_mul"), {{"tokens", 20}, {"width", 1536}}, seed);
    EXPECT_EQ(trial.wrong(silu_kernel(silu, true)), "");
    EXPECT_EQ(trial.wrong(silu_kernel([](float x) { return x / (1 + std::exp(-x)); }, true)), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
    EXPECT_NE(trial.wrong(silu_kernel(silu, false)), "") << "no rounding between";
    EXPECT_NE(trial.wrong(silu_kernel(silu, true, true)), "") << "halves exchanged";
    EXPECT_NE(trial.wrong(silu_kernel(
                  [](float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); }, true)),
              "")
        << "gelu";
  }
}

TEST(SiluAndMul, refuses_a_gate_of_bf16_precision_inside) {
  const Trial trial(elementwise("silu_and_mul"), {{"tokens", 20}, {"width", 1536}});
  EXPECT_NE(
      trial.wrong(silu_kernel([](float x) { return x * bf16(1 / (1 + std::exp(-x))); }, true)), "");
}

TEST(SiluAndMul, needs_two_halves) {
  ShapeParameters shape;
  shape.values = {{"tokens", 1}, {"width", 7}};
  const Result<Problem> problem = make_problem(elementwise("silu_and_mul"), shape);
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().message, "silu_and_mul: width must be even: it is two halves");
}

struct ConvOptions {
  float (*gate)(float) = silu;
  bool reversed_sum = false;
  bool ignores_input = false;
  bool ignores_state = false;
  bool flipped_taps = false;
  bool rounds_between = true;
};

Trial::Kernel conv_kernel(const ConvOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t tokens = problem.at("tokens");
    const std::int64_t width = problem.at("width");
    for (std::int64_t c = 0; c < problem.at("channels"); ++c) {
      std::vector<float> z;
      for (std::int64_t i = 0; i < width - 1; ++i) {
        const HostTensor& state = tensors.input("initial_state");
        z.push_back(options.ignores_state ? 0 : at(state, c * (width - 1) + i));
      }
      for (std::int64_t t = 0; t < tokens; ++t) {
        z.push_back(at(tensors.input("x"), c * tokens + t));
      }
      for (std::int64_t t = 0; t < tokens; ++t) {
        float y = options.reversed_sum ? 0 : at(tensors.input("bias"), c);
        for (std::int64_t step = 0; step < width && !options.ignores_input; ++step) {
          const std::int64_t k = options.reversed_sum ? width - 1 - step : step;
          const std::int64_t tap = options.flipped_taps ? width - 1 - k : k;
          const float w = at(tensors.input("weight"), c * width + tap);
          y = std::fma(w, z[static_cast<std::size_t>(t + k)], y);
        }
        if (options.reversed_sum) y += at(tensors.input("bias"), c);
        if (options.rounds_between) y = bf16(y);
        tensors.output("out").set(c * tokens + t, options.gate(y));
      }
    }
  };
}

TEST(CausalConv1d, starts_from_the_state_and_ends_at_the_token) {
  const Trial tiny(elementwise("causal_conv1d"), {{"tokens", 2}, {"channels", 1}, {"width", 4}});
  const auto fill = [&](std::string_view name, std::initializer_list<double> values) {
    std::int64_t i = 0;
    for (const double value : values) tiny.before().input(name).set(i++, value);
  };
  fill("initial_state", {1, 2, 3});
  fill("x", {4, 5});
  fill("weight", {1000, 100, 10, 1});
  fill("bias", {0.5});
  EXPECT_EQ(tiny.wrong([](const Problem&, const HostTensors& tensors) {
    // 1000 + 200 + 30 + 4 + 0.5, and 2345.5; silu leaves such numbers as they are.
    tensors.output("out").set(0, rounded(NumberType::kBf16, 1234.5));
    tensors.output("out").set(1, rounded(NumberType::kBf16, 2345.5));
  }),
            "");
}

TEST(CausalConv1d, accepts_any_order_and_refuses_what_leaves_a_part_out) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Trial trial(elementwise("causal_conv1d"),
                      {{"tokens", 70}, {"channels", 64}, {"width", 4}}, seed);
    EXPECT_EQ(trial.wrong(conv_kernel({})), "");
    EXPECT_EQ(trial.wrong(conv_kernel({.reversed_sum = true})), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
    EXPECT_NE(trial.wrong(conv_kernel({.ignores_input = true})), "") << "silu(bias)";
    EXPECT_NE(trial.wrong(conv_kernel({.ignores_state = true})), "");
    EXPECT_NE(trial.wrong(conv_kernel({.flipped_taps = true})), "");
    EXPECT_NE(trial.wrong(conv_kernel({.rounds_between = false})), "");
    EXPECT_NE(trial.wrong(conv_kernel({.gate = [](float y) { return y; }})), "");
  }
  const Trial one(elementwise("causal_conv1d"), {{"tokens", 1}, {"channels", 64}, {"width", 4}});
  EXPECT_EQ(one.wrong(conv_kernel({})), "");
  EXPECT_NE(one.wrong(conv_kernel({.ignores_state = true})), "");
}

TEST(CausalConv1d, needs_a_state) {
  ShapeParameters shape;
  shape.values = {{"tokens", 1}, {"channels", 8}, {"width", 1}};
  EXPECT_FALSE(make_problem(elementwise("causal_conv1d"), shape));
}

struct SumOptions {
  bool from_the_end = false;
  bool in_bf16 = false;
  float factor = 2.5f;
  std::int64_t left_out = 0;  ///< slots
};

Trial::Kernel sum_kernel(const SumOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    const std::int64_t slots = problem.at("top_k");
    for (std::int64_t i = 0; i < problem.at("tokens") * hidden; ++i) {
      float sum = 0;
      for (std::int64_t step = 0; step < slots - options.left_out; ++step) {
        const std::int64_t slot = options.from_the_end ? slots - 1 - step : step;
        sum += at(tensors.input("x"), (i / hidden * slots + slot) * hidden + i % hidden);
        if (options.in_bf16) sum = bf16(sum);
      }
      tensors.output("out").set(i, options.factor * sum);
    }
  };
}

TEST(MoeSumReduce, sums_the_slots_of_a_token_times_a_factor) {
  const Trial trial(elementwise("moe_sum_reduce"), {{"tokens", 9}, {"top_k", 8}, {"hidden", 512}});
  EXPECT_EQ(trial.wrong(sum_kernel({})), "");
  EXPECT_EQ(trial.wrong(sum_kernel({.from_the_end = true})), "");
  EXPECT_EQ(trial.wrong_if_as_expected(), "");
  EXPECT_NE(trial.wrong(sum_kernel({.in_bf16 = true})), "");
  EXPECT_NE(trial.wrong(sum_kernel({.factor = 1})), "");
  EXPECT_NE(trial.wrong(sum_kernel({.left_out = 1})), "");
}

}  // namespace
}  // namespace tactus::testing
