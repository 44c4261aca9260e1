#include <gtest/gtest.h>

#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

const OperatorDefinition& norm(std::string_view name) {
  return definition_in(norm_definitions(), name);
}

void set_all(const HostTensor& tensor, std::initializer_list<double> values) {
  std::int64_t index = 0;
  for (const double value : values) tensor.set(index++, value);
  ASSERT_EQ(index, tensor.elements());
}

/// Sum of squares in fp32, in 32 strands as a warp has it.
float squares_in_strands(const HostTensor& x, std::int64_t first, std::int64_t count) {
  float strands[32] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(x.get(first + i));
    strands[i % 32] += value * value;
  }
  for (int width = 16; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) strands[i] += strands[i + width];
  }
  return strands[0];
}

/// The same, one after the other from the last.
float squares_from_the_end(const HostTensor& x, std::int64_t first, std::int64_t count) {
  float sum = 0;
  for (std::int64_t i = count - 1; i >= 0; --i) {
    const auto value = static_cast<float>(x.get(first + i));
    sum += value * value;
  }
  return sum;
}

using Squares = float (*)(const HostTensor&, std::int64_t, std::int64_t);

struct RmsOptions {
  Squares squares = squares_in_strands;
  float eps = 1e-6f;
  bool weighted = true;
  bool weight_first = false;       ///< (x * weight) * scale
  bool rounds_the_normed = false;  ///< to bf16, before the weight
};

/// rms_norm in fp32.
Trial::Kernel rms_kernel(const RmsOptions& options) {
  return [options](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    const HostTensor& x = tensors.input("x");
    for (std::int64_t row = 0; row < problem.at("tokens"); ++row) {
      const float mean =
          options.squares(x, row * hidden, hidden) / static_cast<float>(hidden) + options.eps;
      const float scale = 1 / std::sqrt(mean);
      for (std::int64_t i = 0; i < hidden; ++i) {
        const auto value = static_cast<float>(x.get(row * hidden + i));
        const auto weight =
            options.weighted ? static_cast<float>(tensors.input("weight").get(i)) : 1.0f;
        float normed = value * scale;
        if (options.rounds_the_normed) normed = bf16_to_float(float_to_bf16(normed));
        const float out = options.weight_first ? value * weight * scale : normed * weight;
        tensors.output("out").set(row * hidden + i, out);
      }
    }
  };
}

TEST(RmsNorm, is_x_over_its_root_mean_square_times_the_weight) {
  const Trial trial(norm("rms_norm"), {{"tokens", 1}, {"hidden", 4}});
  set_all(trial.before().input("x"), {1, -1, 7, 7});  // mean square 25
  set_all(trial.before().input("weight"), {1, 2, 3, -0.5});
  const auto write = [](double first) {
    return [first](const Problem&, const HostTensors& tensors) {
      set_all(tensors.output("out"), {first, -0.4, 4.2, -0.7});
    };
  };
  EXPECT_EQ(trial.wrong(write(0.2)), "");
  EXPECT_NE(trial.wrong(write(0.201)), "");
}

TEST(RmsNorm, accepts_fp32_in_any_order) {
  for (const std::int64_t hidden : {128, 1152, 8192}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Trial trial(norm("rms_norm"), {{"tokens", 13}, {"hidden", hidden}}, seed);
      EXPECT_EQ(trial.wrong(rms_kernel({})), "");
      EXPECT_EQ(trial.wrong(rms_kernel({.squares = squares_from_the_end})), "");
      EXPECT_EQ(trial.wrong(rms_kernel({.weight_first = true})), "");
      EXPECT_EQ(trial.wrong_if_as_expected(), "");
    }
  }
}

TEST(RmsNorm, refuses_another_epsilon_a_missing_weight_and_a_rounding_on_the_way) {
  const Trial trial(norm("rms_norm"), {{"tokens", 13}, {"hidden", 256}});
  EXPECT_NE(trial.wrong(rms_kernel({.eps = 1e-5f})), "");
  EXPECT_NE(trial.wrong(rms_kernel({.eps = 0})), "");
  EXPECT_NE(trial.wrong(rms_kernel({.weighted = false})), "");
  EXPECT_NE(trial.wrong(rms_kernel({.rounds_the_normed = true})), "");
}

TEST(RmsNorm, needs_numbers_that_can_be_squared) {
  ShapeParameters shape;
  shape.values = {{"tokens", 2}, {"hidden", 8}};
  shape.dtype = NumberType::kInt32;
  const Result<Problem> problem = make_problem(norm("rms_norm"), shape);
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().message, "rms_norm: needs bf16, fp16 or fp32, not int32");
}

/// fused_add_rms_norm; `keeps_the_sum` norms the sum before it was rounded.
Trial::Kernel add_rms_kernel(bool adds, bool keeps_the_sum) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    for (std::int64_t row = 0; row < problem.at("tokens"); ++row) {
      std::vector<float> sums;
      float squares = 0;
      for (std::int64_t i = row * hidden; i < (row + 1) * hidden; ++i) {
        auto sum = static_cast<float>(tensors.input("residual").get(i));
        if (adds) sum += static_cast<float>(tensors.input("x").get(i));
        tensors.output("residual").set(i, sum);
        if (!keeps_the_sum) sum = bf16_to_float(float_to_bf16(sum));
        squares += sum * sum;
        sums.push_back(sum);
      }
      const float scale = 1 / std::sqrt(squares / static_cast<float>(hidden) + 1e-6f);
      for (std::int64_t i = 0; i < hidden; ++i) {
        const auto weight = static_cast<float>(tensors.input("weight").get(i));
        tensors.output("out").set(row * hidden + i,
                                  sums[static_cast<std::size_t>(i)] * scale * weight);
      }
    }
  };
}

TEST(FusedAddRmsNorm, adds_rounds_and_norms_the_rounded) {
  const Trial trial(norm("fused_add_rms_norm"), {{"tokens", 5}, {"hidden", 512}});
  EXPECT_EQ(trial.wrong(add_rms_kernel(true, false)), "");
  EXPECT_EQ(trial.wrong_if_as_expected(), "");
  EXPECT_NE(trial.wrong(add_rms_kernel(false, false)), "") << "x is not added";
  EXPECT_NE(trial.wrong(add_rms_kernel(true, true)), "") << "norm of the sum before its rounding";
}

TEST(FusedAddRmsNorm, has_ties_of_the_residual_rounded_to_even) {
  const Trial trial(norm("fused_add_rms_norm"), {{"tokens", 1}, {"hidden", 2}});
  set_all(trial.before().input("x"), {1, 1});
  set_all(trial.before().input("residual"), {0x1p-8, 3 * 0x1p-8});
  set_all(trial.before().input("weight"), {1, 1});
  const auto kernel = [](double first, double second) {
    return [=](const Problem&, const HostTensors& tensors) {
      set_all(tensors.output("residual"), {first, second});
      const double scale = 1 / std::sqrt((1 + (1 + 0x1p-6) * (1 + 0x1p-6)) / 2 + 1e-6);
      set_all(tensors.output("out"), {scale, (1 + 0x1p-6) * scale});
    };
  };
  EXPECT_EQ(trial.wrong(kernel(1, 1 + 0x1p-6)), "");
  EXPECT_NE(trial.wrong(kernel(1 + 0x1p-7, 1 + 0x1p-6)), "");
  EXPECT_NE(trial.wrong(kernel(1, 1 + 0x1p-7)), "");
}

Trial::Kernel gated_kernel(bool gated, bool sigmoid_only) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    const HostTensor& x = tensors.input("x");
    for (std::int64_t row = 0; row < problem.at("rows"); ++row) {
      const float squares = squares_from_the_end(x, row * hidden, hidden);
      const float scale = 1 / std::sqrt(squares / static_cast<float>(hidden) + 1e-6f);
      for (std::int64_t i = 0; i < hidden; ++i) {
        const auto z = static_cast<float>(tensors.input("z").get(row * hidden + i));
        const float sigmoid = 1 / (1 + std::exp2(z * -1.44269504f));
        const float gate = !gated ? 1 : sigmoid_only ? sigmoid : z * sigmoid;
        const auto weight = static_cast<float>(tensors.input("weight").get(i));
        tensors.output("out").set(
            row * hidden + i, static_cast<float>(x.get(row * hidden + i)) * scale * weight * gate);
      }
    }
  };
}

TEST(GatedRmsNorm, norms_then_multiplies_with_the_silu_of_z) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Trial trial(norm("gated_rms_norm"), {{"rows", 40}, {"hidden", 128}}, seed);
    EXPECT_EQ(trial.wrong(gated_kernel(true, false)), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
    EXPECT_NE(trial.wrong(gated_kernel(true, true)), "");
    EXPECT_NE(trial.wrong(gated_kernel(false, false)), "");
  }
}

Trial::Kernel l2_kernel(float eps, bool mean) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    const HostTensor& x = tensors.input("x");
    for (std::int64_t row = 0; row < problem.at("tokens"); ++row) {
      float squares = squares_in_strands(x, row * hidden, hidden);
      if (mean) squares /= static_cast<float>(hidden);
      const float scale = 1 / std::sqrt(squares + eps);
      for (std::int64_t i = row * hidden; i < (row + 1) * hidden; ++i) {
        tensors.output("out").set(i, static_cast<float>(x.get(i)) * scale);
      }
    }
  };
}

TEST(L2Norm, makes_the_squares_of_a_row_add_up_to_one) {
  const Trial tiny(norm("l2_norm"), {{"tokens", 1}, {"hidden", 2}});
  set_all(tiny.before().input("x"), {3, -4});
  EXPECT_EQ(tiny.wrong([](const Problem&, const HostTensors& tensors) {
    set_all(tensors.output("out"), {0.6, -0.8});
  }),
            "");
  const Trial trial(norm("l2_norm"), {{"tokens", 9}, {"hidden", 2048}});
  EXPECT_EQ(trial.wrong(l2_kernel(1e-6f, false)), "");
  EXPECT_NE(trial.wrong(l2_kernel(1e-6f, true)), "") << "the mean is of rms_norm";
  EXPECT_NE(trial.wrong(l2_kernel(0, false)), "") << "no epsilon";
  EXPECT_NE(trial.wrong(l2_kernel(1e-5f, false)), "");
}

struct LayerOptions {
  bool one_pass = false;
  float eps = 1e-5f;
  bool centred = true;
  bool unbiased = false;
  bool with_bias = true;
};

Trial::Kernel layer_kernel(const LayerOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t hidden = problem.at("hidden");
    const auto count = static_cast<float>(hidden);
    const HostTensor& x = tensors.input("x");
    for (std::int64_t row = 0; row < problem.at("tokens"); ++row) {
      const auto at = [&](std::int64_t i) { return static_cast<float>(x.get(row * hidden + i)); };
      float sum = 0;
      for (std::int64_t i = 0; i < hidden; ++i) sum += at(i);
      const float mean = sum / count;
      float variance = 0;
      if (options.one_pass) {
        variance = squares_from_the_end(x, row * hidden, hidden) / count - mean * mean;
      } else {
        for (std::int64_t i = 0; i < hidden; ++i) variance += (at(i) - mean) * (at(i) - mean);
        variance /= options.unbiased ? count - 1 : count;
      }
      const float scale = 1 / std::sqrt(variance + options.eps);
      for (std::int64_t i = 0; i < hidden; ++i) {
        float out = (at(i) - (options.centred ? mean : 0)) * scale *
                    static_cast<float>(tensors.input("weight").get(i));
        if (options.with_bias) out += static_cast<float>(tensors.input("bias").get(i));
        tensors.output("out").set(row * hidden + i, out);
      }
    }
  };
}

TEST(LayerNorm, centres_scales_and_shifts_a_row) {
  const Trial tiny(norm("layer_norm"), {{"tokens", 1}, {"hidden", 4}});
  set_all(tiny.before().input("x"), {10, 14, 10, 14});  // mean 12, variance 4
  set_all(tiny.before().input("weight"), {1, 1, 2, 0});
  set_all(tiny.before().input("bias"), {0, 0.5, 0, -3});
  EXPECT_EQ(tiny.wrong([](const Problem&, const HostTensors& tensors) {
    set_all(tensors.output("out"), {-1, 1.5, -2, -3});
  }),
            "");
}

TEST(LayerNorm, accepts_one_pass_and_two_and_refuses_what_leaves_a_part_out) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Trial trial(norm("layer_norm"), {{"tokens", 9}, {"hidden", 1152}}, seed);
    EXPECT_EQ(trial.wrong(layer_kernel({})), "");
    EXPECT_EQ(trial.wrong(layer_kernel({.one_pass = true})), "");
    EXPECT_NE(trial.wrong(layer_kernel({.eps = 1e-6f})), "");
    EXPECT_NE(trial.wrong(layer_kernel({.centred = false})), "");
    EXPECT_NE(trial.wrong(layer_kernel({.unbiased = true})), "");
    EXPECT_NE(trial.wrong(layer_kernel({.with_bias = false})), "");
  }
}

struct QkOptions {
  bool rounds_between = true;
  bool norms_v = false;
  bool one_weight = false;
};

Trial::Kernel qk_kernel(const QkOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t head_dim = problem.at("head_dim");
    const std::int64_t q_heads = problem.at("heads");
    const std::int64_t k_heads = problem.at("kv_heads");
    const HostTensor& x = tensors.input("hidden");
    for (std::int64_t row = 0; row < x.elements() / head_dim; ++row) {
      const std::int64_t head = row % (q_heads + 2 * k_heads);
      const float squares = squares_in_strands(x, row * head_dim, head_dim);
      const float scale = 1 / std::sqrt(squares / static_cast<float>(head_dim) + 1e-6f);
      for (std::int64_t i = 0; i < head_dim; ++i) {
        double value = x.get(row * head_dim + i);
        if (head < q_heads + k_heads || options.norms_v) {
          value = static_cast<float>(value) * scale;
          if (options.rounds_between) value = rounded(NumberType::kFp16, value);
          const bool is_q = head < q_heads || options.one_weight;
          value *= tensors.input(is_q ? "q_weight" : "k_weight").get(i);
        }
        tensors.output("out").set(row * head_dim + i, value);
      }
    }
  };
}

TEST(FusedQkRmsnorm, norms_q_and_k_heads_and_copies_v) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Trial trial(norm("fused_qk_rmsnorm"),
                      {{"tokens", 1}, {"heads", 32}, {"kv_heads", 4}, {"head_dim", 128}}, seed,
                      NumberType::kFp16);
    EXPECT_EQ(trial.wrong(qk_kernel({})), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
    EXPECT_NE(trial.wrong(qk_kernel({.rounds_between = false})), "");
    EXPECT_NE(trial.wrong(qk_kernel({.norms_v = true})), "");
    EXPECT_NE(trial.wrong(qk_kernel({.one_weight = true})), "");
  }
}

}  // namespace
}  // namespace tactus::testing
