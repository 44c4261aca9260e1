#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

constexpr NumberType kFnuz = NumberType::kFp8E4m3Fnuz;

const OperatorDefinition& quantisation(std::string_view name) {
  return definition_in(quantisation_definitions(), name);
}

float at(const HostTensor& tensor, std::int64_t index) {
  return static_cast<float>(tensor.get(index));
}

struct QuantOptions {
  bool divides = false;           ///< by the scale, instead of multiplying with its reciprocal
  bool scale_by_product = false;  ///< amax * (1 / most)
  float most = 0;                 ///< 0: as the operator says
  bool magnitudes = true;         ///< else the largest signed number makes the scale
  bool truncates = false;         ///< instead of rounding to the nearest
};

/// The number of the format that is not above |value|.
double truncated(NumberType type, double value) {
  const double step = spacing(type, value);
  return std::copysign(step * std::floor(std::fabs(value) / step), value);
}

/// Both operators that quantise x: rows in groups of `group`.
void quantise(const HostTensor& x, const HostTensor& q, const HostTensor& scales,
              std::int64_t group, double operator_most, double least_amax,
              const QuantOptions& options) {
  const float most = options.most == 0 ? static_cast<float>(operator_most) : options.most;
  for (std::int64_t g = 0; g < x.elements() / group; ++g) {
    auto amax = static_cast<float>(least_amax);
    for (std::int64_t i = g * group; i < (g + 1) * group; ++i) {
      amax = std::max(amax, options.magnitudes ? std::fabs(at(x, i)) : at(x, i));
    }
    const float scale = options.scale_by_product ? amax * (1 / most) : amax / most;
    const float reciprocal = 1 / scale;
    scales.set(g, scale);
    for (std::int64_t i = g * group; i < (g + 1) * group; ++i) {
      const float value = options.divides ? at(x, i) / scale : at(x, i) * reciprocal;
      const double within = std::clamp(value, -most, most);
      q.set(i, options.truncates ? truncated(q.spec->dtype, within) : within);
    }
  }
}

Trial::Kernel per_token(const QuantOptions& options) {
  return [options](const Problem& problem, const HostTensors& tensors) {
    quantise(tensors.input("x"), tensors.output("q"), tensors.output("scale"), problem.at("hidden"),
             problem.value("fp8_max"), problem.value("least_amax"), options);
  };
}

TEST(Fp8DynamicPerTokenQuant, scales_the_largest_of_a_row_to_240) {
  const Trial trial(quantisation("fp8_dynamic_per_token_quant"), {{"tokens", 1}, {"hidden", 4}});
  const double inputs[] = {-1.5, 0.75, 0.1, 0};
  for (int i = 0; i < 4; ++i) trial.before().input("x").set(i, inputs[i]);
  const auto write = [](double third, double scale) {
    return [=](const Problem&, const HostTensors& tensors) {
      const double codes[] = {-240, 120, third, 0};
      for (int i = 0; i < 4; ++i) tensors.output("q").set(i, codes[i]);
      tensors.output("scale").set(0, scale);
    };
  };
  EXPECT_EQ(trial.wrong(write(16, 0.00625)), "");
  EXPECT_NE(trial.wrong(write(18, 0.00625)), "") << "the next code";
  EXPECT_NE(trial.wrong(write(16, 0.00626)), "");
}

TEST(Fp8DynamicPerTokenQuant, accepts_quotients_and_reciprocals_alike) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Trial trial(quantisation("fp8_dynamic_per_token_quant"),
                      {{"tokens", 40}, {"hidden", 2048}}, seed);
    for (const bool divides : {false, true}) {
      for (const bool product : {false, true}) {
        EXPECT_EQ(trial.wrong(per_token({.divides = divides, .scale_by_product = product})), "");
      }
    }
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
  }
}

TEST(Fp8DynamicPerTokenQuant, refuses_other_scales_and_other_roundings) {
  const Trial trial(quantisation("fp8_dynamic_per_token_quant"), {{"tokens", 40}, {"hidden", 256}});
  EXPECT_NE(trial.wrong(per_token({.most = 224})), "");
  EXPECT_NE(trial.wrong(per_token({.magnitudes = false})), "");
  EXPECT_NE(trial.wrong(per_token({.truncates = true})), "");
  EXPECT_NE(trial.wrong([](const Problem& problem, const HostTensors& tensors) {
    per_token({})(problem, tensors);
    const HostTensor& scale = tensors.output("scale");
    for (std::int64_t i = 0; i < scale.elements(); ++i) {
      scale.set(i, rounded(NumberType::kBf16, scale.get(i)));
    }
  }),
            "")
      << "scales of bf16 precision";
}

TEST(Fp8DynamicPerTokenQuant, draws_rows_of_zeros_that_must_not_become_nan) {
  const Trial trial(quantisation("fp8_dynamic_per_token_quant"), {{"tokens", 16}, {"hidden", 64}});
  EXPECT_NE(trial.wrong([](const Problem& problem, const HostTensors& tensors) {
    quantise(tensors.input("x"), tensors.output("q"), tensors.output("scale"), problem.at("hidden"),
             240, 0, {});
  }),
            "");
}

Trial::Kernel per_group(const QuantOptions& options, double least_scale = 1e-10) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    quantise(tensors.input("x"), tensors.output("quantized"), tensors.output("scales"),
             problem.at("group_size"), problem.value("fp8_max"),
             least_scale * problem.value("fp8_max"), options);
  };
}

TEST(PerTokenGroupQuantFp8, scales_each_group_to_448) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Trial trial(quantisation("per_token_group_quant_fp8"),
                      {{"tokens", 33}, {"hidden", 512}, {"group_size", 128}}, seed);
    EXPECT_EQ(trial.problem().value("fp8_max"), 448);
    EXPECT_EQ(trial.wrong(per_group({.divides = true})), "");
    EXPECT_EQ(trial.wrong(per_group({.divides = false})), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
    EXPECT_NE(trial.wrong(per_group({.most = 240})), "");
    EXPECT_NE(trial.wrong(per_group({}, 1e-12)), "") << "another least scale";
    EXPECT_NE(trial.wrong([](const Problem& problem, const HostTensors& tensors) {
      per_group({})(problem, tensors);
      // One scale for the row.
      quantise(tensors.input("x"), tensors.output("quantized"), tensors.output("scales"),
               problem.at("hidden"), 448, 1e-8, {});
    }),
              "");
  }
}

TEST(PerTokenGroupQuantFp8, has_224_as_its_largest_in_the_format_of_amd) {
  const Trial trial(quantisation("per_token_group_quant_fp8"),
                    {{"tokens", 4}, {"hidden", 256}, {"group_size", 128}}, 1, kFnuz);
  EXPECT_EQ(trial.problem().value("fp8_max"), 224);
  EXPECT_EQ(trial.wrong(per_group({.divides = true})), "");
  EXPECT_NE(trial.wrong(per_group({.most = 240})), "");
}

TEST(PerTokenGroupQuantFp8, needs_whole_groups) {
  ShapeParameters shape;
  shape.values = {{"tokens", 1}, {"hidden", 200}, {"group_size", 128}};
  const Result<Problem> problem = make_problem(quantisation("per_token_group_quant_fp8"), shape);
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().message,
            "per_token_group_quant_fp8: hidden must be a multiple of group_size");
}

struct FusedOptions {
  bool from_the_end = false;  ///< the sum of squares
  float eps = 1e-5f;
  bool rounds_normed = true;  ///< to bf16, before it is quantised
  bool adds = true;
  float scale_of_zero = 1;
};

Trial::Kernel fused(const FusedOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    const auto bf16 = [](float value) { return bf16_to_float(float_to_bf16(value)); };
    for (std::int64_t row = 0; row < problem.at("tokens"); ++row) {
      std::vector<float> y(static_cast<std::size_t>(hidden));
      float squares = 0;
      for (std::int64_t step = 0; step < hidden; ++step) {
        const std::int64_t i = options.from_the_end ? hidden - 1 - step : step;
        const std::int64_t index = row * hidden + i;
        const float sum = bf16(at(tensors.input("residual"), index) +
                               (options.adds ? at(tensors.input("x"), index) : 0));
        tensors.output("residual_out").set(index, sum);
        y[static_cast<std::size_t>(i)] = sum;
        squares += sum * sum;
      }
      const float factor = 1 / std::sqrt(squares / static_cast<float>(hidden) + options.eps);
      float amax = 0;
      for (std::int64_t i = 0; i < hidden; ++i) {
        float& value = y[static_cast<std::size_t>(i)];
        value = value * factor * at(tensors.input("weight"), i);
        if (options.rounds_normed) value = bf16(value);
        amax = std::max(amax, std::fabs(value));
      }
      const float scale = amax == 0 ? options.scale_of_zero : amax / 240;
      tensors.output("scale").set(row, scale);
      for (std::int64_t i = 0; i < hidden; ++i) {
        tensors.output("quantized").set(row * hidden + i, y[static_cast<std::size_t>(i)] / scale);
      }
    }
  };
}

TEST(FusedRmsnormQuant, accepts_any_order_of_the_sum) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Trial trial(quantisation("fused_rmsnorm_quant"), {{"tokens", 33}, {"hidden", 4096}},
                      seed);
    EXPECT_EQ(trial.wrong(fused({})), "");
    EXPECT_EQ(trial.wrong(fused({.from_the_end = true})), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
  }
}

TEST(FusedRmsnormQuant, allows_the_quotient_by_any_scale_that_it_allows) {
  const Trial trial(quantisation("fused_rmsnorm_quant"), {{"tokens", 400}, {"hidden", 512}});
  int in_doubt = 0;
  for (std::int64_t row = 0; row < 400; ++row) {
    Expected expected;
    trial.definition().expect(trial.problem(), trial.before(), row, expected);
    const ExpectedRun& numbers = expected[0];
    const double scale = expected[1].values[0];
    const double other = scale - expected[1].slack[0];
    if (expected[1].slack[0] > 1e-4 * scale) ++in_doubt;  // another bf16 number may be the largest
    for (std::size_t i = 0; i < numbers.values.size(); ++i) {
      const double value = numbers.values[i];
      const double by_other = value * scale / other;
      ASSERT_LE(std::fabs(by_other - value), numbers.slack[i]) << "row " << row << ", " << i;
    }
  }
  EXPECT_GT(in_doubt, 0);
}

TEST(FusedRmsnormQuant, refuses_what_leaves_a_part_out) {
  const Trial trial(quantisation("fused_rmsnorm_quant"), {{"tokens", 33}, {"hidden", 512}});
  EXPECT_NE(trial.wrong(fused({.eps = 1e-6f})), "");
  EXPECT_NE(trial.wrong(fused({.rounds_normed = false})), "");
  EXPECT_NE(trial.wrong(fused({.adds = false})), "");
  EXPECT_NE(trial.wrong(fused({.scale_of_zero = 1e-12f})), "") << "a row of zeros has scale 1";
}

}  // namespace
}  // namespace tactus::testing
