// Generic operators: right arithmetic passes, and what people leave out fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "bench/checking/judge.h"
#include "bounds/costs/cost.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<std::pair<std::string, std::int64_t>>;

const OperatorDefinition& generic(std::string_view name) {
  for (const OperatorDefinition* definition : generic_definitions()) {
    if (definition->name == name) return *definition;
  }
  ADD_FAILURE() << name;
  return *generic_definitions().front();
}

float number_at(const HostTensor& tensor, std::int64_t index) {
  return static_cast<float>(tensor.get(index));
}

std::string objection_to(std::string_view name, const Values& values,
                         NumberType dtype = NumberType::kBf16) {
  ShapeParameters shape;
  shape.values = values;
  shape.dtype = dtype;
  const Result<Problem> problem = make_problem(generic(name), shape);
  return problem ? "" : problem.error().message;
}

constexpr NumberType kTypes[] = {NumberType::kBf16, NumberType::kFp16, NumberType::kFp32};

TEST(GenericOperators, are_all_there_with_a_cost_and_typical_shapes) {
  const Catalogue catalogue = generic_catalogue();
  EXPECT_EQ(catalogue.operators.size(), generic_definitions().size());
  for (const OperatorDefinition* definition : generic_definitions()) {
    const Result<const Operator*> op = find_operator(catalogue, definition->name);
    ASSERT_TRUE(op) << definition->name;
    EXPECT_TRUE(find_definition(definition->name));
    EXPECT_FALSE(find_operator(built_in_catalogue(), definition->name)) << "published ones stay";
    for (const Shape& shape : (*op)->shapes) {
      const Result<Problem> problem = make_problem(*definition, shape.parameters);
      ASSERT_TRUE(problem) << problem.error().message;
      const Result<Cost> cost = cost_of(definition->name, shape, CostModel::kStrict);
      ASSERT_TRUE(cost) << cost.error().message;
      // Every tensor moves once; rows of a table that nobody asks for need not be read, and the
      // number of a fill is one.
      double read = 0;
      double written = 0;
      for (const TensorSpec& tensor : problem->inputs) read += static_cast<double>(tensor.bytes());
      for (const TensorSpec& tensor : problem->outputs) {
        written += static_cast<double>(tensor.bytes());
      }
      if (definition->name == "gather" || definition->name == "fill") {
        EXPECT_LE(cost->read_bytes, read) << definition->name << "/" << shape.id;
      } else {
        EXPECT_EQ(cost->read_bytes, read) << definition->name << "/" << shape.id;
      }
      EXPECT_EQ(cost->write_bytes, written) << definition->name << "/" << shape.id;
    }
  }
}

// ---- softmax

struct SoftmaxVariant {
  bool largest_taken_off = true;
  std::int64_t left_out = 0;  ///< at the end of a row
  bool in_bf16 = false;       ///< the sum
};

Trial::Kernel softmax_kernel(SoftmaxVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t columns = problem.at("columns");
    const HostTensor& x = tensors.input("x");
    for (std::int64_t first = 0; first < x.elements(); first += columns) {
      float top = variant.largest_taken_off ? -HUGE_VALF : 0;
      for (std::int64_t i = 0; i < columns && variant.largest_taken_off; ++i) {
        top = std::max(top, number_at(x, first + i));
      }
      float sum = 0;
      for (std::int64_t i = columns - variant.left_out; i-- > 0;) {
        sum += std::exp(number_at(x, first + i) - top);
        if (variant.in_bf16) sum = bf16_to_float(float_to_bf16(sum));
      }
      for (std::int64_t i = 0; i < columns; ++i) {
        tensors.output("out").set(
            first + i, static_cast<double>(std::exp(number_at(x, first + i) - top) / sum));
      }
    }
  };
}

TEST(GenericSoftmax, accepts_fp32_in_any_order) {
  for (const NumberType type : kTypes) {
    const Trial trial(generic("softmax"), {{"rows", 40}, {"columns", 300}}, 3, type);
    EXPECT_EQ(trial.wrong(softmax_kernel()), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
  }
  EXPECT_EQ(Trial(generic("softmax"), {{"rows", 1}, {"columns", 1}}).wrong(softmax_kernel()), "");
}

TEST(GenericSoftmax, refuses_exp_without_the_largest_taken_off) {
  for (const NumberType type : kTypes) {
    for (const std::int64_t rows : {1, 3, 40}) {
      const Trial trial(generic("softmax"), {{"rows", rows}, {"columns", 300}}, 3, type);
      EXPECT_FALSE(trial.right(softmax_kernel({.largest_taken_off = false}))) << rows;
    }
  }
}

TEST(GenericSoftmax, refuses_a_short_or_coarse_sum) {
  const Trial trial(generic("softmax"), {{"rows", 40}, {"columns", 300}});
  EXPECT_FALSE(trial.right(softmax_kernel({.left_out = 1})));
  EXPECT_FALSE(trial.right(softmax_kernel({.in_bf16 = true})));
}

// ---- gemm

struct GemmVariant {
  std::int64_t left_out = 0;  ///< of k
  bool in_bf16 = false;       ///< the sum
  float (*operand)(float) = [](float x) { return x; };
};

Trial::Kernel gemm_kernel(GemmVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t m = problem.at("m");
    const std::int64_t n = problem.at("n");
    const std::int64_t k = problem.at("k");
    const HostTensor& out = tensors.output("out");
    for (std::int64_t i = 0; i < out.elements(); ++i) {
      const std::int64_t a_row = i / n;
      const std::int64_t b_row = a_row / m * n + i % n;
      float sum = 0;
      for (std::int64_t j = k - variant.left_out; j-- > 0;) {
        sum += variant.operand(number_at(tensors.input("a"), a_row * k + j)) *
               variant.operand(number_at(tensors.input("b"), b_row * k + j));
        if (variant.in_bf16) sum = bf16_to_float(float_to_bf16(sum));
      }
      out.set(i, static_cast<double>(sum));
    }
  };
}

/// 11 bits, the others cut off.
float as_tf32(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= 0xffffe000u;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

TEST(GenericGemm, accepts_fp32_sums_of_all_types) {
  const Values sizes = {{"m", 5}, {"n", 140}, {"k", 200}};
  for (const NumberType type : kTypes) {
    const Trial trial(generic("gemm"), sizes, 2, type);
    EXPECT_EQ(trial.wrong(gemm_kernel()), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
  }
  Values batched = {{"m", 3}, {"n", 20}, {"k", 64}, {"batch", 4}, {"out_bytes", 4}};
  EXPECT_EQ(Trial(generic("gemm"), batched).wrong(gemm_kernel()), "");
  batched[4].second = 2;
  EXPECT_EQ(Trial(generic("gemm"), batched, 1, NumberType::kFp8E4m3).wrong(gemm_kernel()), "");
}

TEST(GenericGemm, refuses_a_short_sum_and_one_in_bf16) {
  const Values sizes = {{"m", 5}, {"n", 140}, {"k", 512}};
  for (const NumberType type : kTypes) {
    EXPECT_FALSE(Trial(generic("gemm"), sizes, 2, type).right(gemm_kernel({.left_out = 1})));
    EXPECT_FALSE(Trial(generic("gemm"), sizes, 2, type).right(gemm_kernel({.in_bf16 = true})));
  }
}

TEST(GenericGemm, names_products_in_tf32) {
  const Trial trial(generic("gemm"), {{"m", 5}, {"n", 140}, {"k", 512}}, 2, NumberType::kFp32);
  CheckedOutputs judgement;
  trial.wrong([&](const Problem& problem, const HostTensors& tensors) {
    gemm_kernel({.operand = as_tf32})(problem, tensors);
    judgement = judge(generic("gemm"), problem, trial.before(), tensors, 1e18, 1, 1);
  });
  EXPECT_TRUE(judgement.right) << judgement.first;
  EXPECT_EQ(judgement.variant, "tf32");
  EXPECT_FALSE(trial.right(
      gemm_kernel({.operand = [](float x) { return bf16_to_float(float_to_bf16(x)); }})));
}

TEST(GenericGemm, says_what_is_wrong_with_a_shape) {
  const Values sizes = {{"m", 5}, {"n", 4}, {"k", 8}};
  EXPECT_THAT(objection_to("gemm", sizes, NumberType::kInt32), HasSubstr("needs bf16"));
  EXPECT_THAT(objection_to("gemm", sizes, NumberType::kFp8E4m3), HasSubstr("out_bytes"));
  EXPECT_THAT(objection_to("gemm", {{"m", 5}, {"n", 4}}), HasSubstr("needs k"));
  EXPECT_THAT(objection_to("gemm", {{"m", 5}, {"n", 4}, {"k", 8}, {"batch", 0}}),
              HasSubstr("batch"));
  EXPECT_THAT(objection_to("gemm", {{"m", 5}, {"n", 4}, {"k", 8}, {"bias", 1}}), HasSubstr("bias"));
}

// ---- attention

struct AttentionVariant {
  bool largest_taken_off = true;
  bool masked = true;
  bool own_head = false;  ///< heads of k are not shared as they should be
};

Trial::Kernel attention_kernel(AttentionVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const TensorSpec& q = *tensors.input("q").spec;
    const TensorSpec& k = *tensors.input("k").spec;
    const std::int64_t heads = q.shape[2];
    const std::int64_t kv_heads = k.shape[2];
    const std::int64_t dim = q.shape[3];
    const std::int64_t dim_v = tensors.input("v").spec->shape[3];
    for (std::int64_t row = 0; row < q.shape[0] * q.shape[1] * heads; ++row) {
      const std::int64_t query = row / heads % q.shape[1];
      const std::int64_t sequence = row / heads / q.shape[1];
      const std::int64_t kv_head =
          variant.own_head ? row % heads % kv_heads : row % heads / (heads / kv_heads);
      const bool causal = problem.value("causal") != 0 && variant.masked;
      const std::int64_t seen = causal ? k.shape[1] - q.shape[1] + query + 1 : k.shape[1];
      const auto at = [&](std::int64_t key) {
        return (sequence * k.shape[1] + key) * kv_heads + kv_head;
      };
      std::vector<float> weights;
      for (std::int64_t key = 0; key < seen; ++key) {
        float score = 0;
        for (std::int64_t d = 0; d < dim; ++d) {
          score += number_at(tensors.input("q"), row * dim + d) *
                   number_at(tensors.input("k"), at(key) * dim + d);
        }
        weights.push_back(score * static_cast<float>(problem.value("scale")));
      }
      const float top =
          variant.largest_taken_off ? *std::max_element(weights.begin(), weights.end()) : 0;
      float sum = 0;
      for (float& weight : weights) sum += weight = std::exp(weight - top);
      for (std::int64_t c = 0; c < dim_v; ++c) {
        float mixed = 0;
        for (std::int64_t key = 0; key < seen; ++key) {
          mixed += weights[static_cast<std::size_t>(key)] *
                   number_at(tensors.input("v"), at(key) * dim_v + c);
        }
        tensors.output("out").set(row * dim_v + c, static_cast<double>(mixed / sum));
      }
    }
  };
}

Values prefill_values() {
  return {{"batch", 2},       {"heads", 4},  {"kv_heads", 2}, {"head_dim", 32},
          {"head_dim_v", 16}, {"q_len", 24}, {"kv_len", 24},  {"causal", 1}};
}

Values decode_values() {
  return {{"batch", 3},     {"heads", 8}, {"kv_heads", 2},
          {"head_dim", 32}, {"q_len", 1}, {"kv_len", 90}};
}

TEST(GenericAttention, accepts_fp32) {
  for (const NumberType type : {NumberType::kBf16, NumberType::kFp16}) {
    for (const Values& values : {prefill_values(), decode_values()}) {
      const Trial trial(generic("attention"), values, 5, type);
      EXPECT_EQ(trial.wrong(attention_kernel()), "");
    }
  }
}

TEST(GenericAttention, refuses_shortcuts) {
  const Trial prefill(generic("attention"), prefill_values());
  EXPECT_FALSE(prefill.right(attention_kernel({.masked = false})));
  EXPECT_FALSE(prefill.right(attention_kernel({.largest_taken_off = false})));
  const Trial decode(generic("attention"), decode_values());
  EXPECT_FALSE(decode.right(attention_kernel({.own_head = true})));
  EXPECT_FALSE(decode.right(attention_kernel({.largest_taken_off = false})));
}

TEST(GenericAttention, says_what_is_wrong_with_a_shape) {
  Values values = prefill_values();
  values[6].second = 23;
  EXPECT_THAT(objection_to("attention", values), HasSubstr("would see no key"));
  values = decode_values();
  values[2].second = 3;
  EXPECT_THAT(objection_to("attention", values), HasSubstr("multiple of kv_heads"));
  EXPECT_THAT(objection_to("attention", decode_values(), NumberType::kFp32),
              HasSubstr("needs bf16 or fp16"));
}

// ---- number by number

Trial::Kernel each_number(float (*function)(float, float)) {
  return [function](const Problem&, const HostTensors& tensors) {
    const HostTensor& second = tensors.inputs.back();
    for (std::int64_t i = 0; i < tensors.outputs[0].elements(); ++i) {
      tensors.outputs[0].set(
          i, static_cast<double>(function(number_at(tensors.inputs[0], i), number_at(second, i))));
    }
  };
}

float gelu_of(float x, float) {
  return 0.5f * x * (1 + std::erf(x * 0.70710678f));
}

float gelu_by_tanh(float x, float) {
  return 0.5f * x * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}

TEST(GenericElementwise, accepts_fp32) {
  for (const NumberType type : kTypes) {
    const auto wrong = [type](std::string_view name, float (*function)(float, float)) {
      return Trial(generic(name), {{"elements", 3000}}, 2, type).wrong(each_number(function));
    };
    EXPECT_EQ(wrong("add", [](float a, float b) { return a + b; }), "");
    EXPECT_EQ(wrong("mul", [](float a, float b) { return a * b; }), "");
    EXPECT_EQ(wrong("silu", [](float x, float) { return x / (1 + std::exp(-x)); }), "");
    EXPECT_EQ(wrong("gelu", gelu_of), "");
  }
}

TEST(GenericElementwise, refuses_functions_that_overflow_or_are_nearly_right) {
  const Trial silu(generic("silu"), {{"elements", 3000}});
  EXPECT_FALSE(
      silu.right(each_number([](float x, float) { return x * std::exp(x) / (1 + std::exp(x)); })));
  const Trial gelu(generic("gelu"), {{"elements", 3000}});
  EXPECT_FALSE(
      gelu.right(each_number([](float x, float) { return x / (1 + std::exp(-1.702f * x)); })));
  const Trial add(generic("add"), {{"elements", 3000}});
  EXPECT_FALSE(add.right(each_number([](float a, float) { return a; })));
}

TEST(GenericElementwise, names_the_gelu_by_tanh) {
  const Trial trial(generic("gelu"), {{"elements", 3000}});
  CheckedOutputs judgement;
  trial.wrong([&](const Problem& problem, const HostTensors& tensors) {
    each_number(gelu_by_tanh)(problem, tensors);
    judgement = judge(generic("gelu"), problem, trial.before(), tensors, 1e18, 1, 1);
  });
  EXPECT_TRUE(judgement.right) << judgement.first;
  EXPECT_EQ(judgement.variant, "tanh");
}

TEST(GenericElementwise, copies_and_casts_exactly) {
  const auto same = each_number([](float x, float) { return x; });
  const auto off = each_number([](float x, float) { return x * 1.01f; });
  const Trial copy(generic("copy"), {{"read_bytes", 1000}});
  EXPECT_EQ(copy.problem().outputs[0].elements(), 500);
  EXPECT_EQ(copy.wrong(same), "");
  EXPECT_FALSE(copy.right(off));
  struct Cast {
    std::int64_t from_bytes;
    NumberType to;
  };
  for (const auto& [from_bytes, to] :
       {Cast{4, NumberType::kBf16}, Cast{2, NumberType::kFp32}, Cast{2, NumberType::kBf16},
        Cast{1, NumberType::kFp16}, Cast{4, NumberType::kFp8E4m3}}) {
    const Trial cast(generic("cast"), {{"elements", 900}, {"from_bytes", from_bytes}}, 1, to);
    EXPECT_EQ(cast.wrong(same), "") << number_type_name(to);
    EXPECT_FALSE(cast.right(each_number([](float x, float) { return x * 1.1f; })));
  }
}

TEST(GenericElementwise, says_what_is_wrong_with_a_shape) {
  EXPECT_THAT(objection_to("copy", {{"read_bytes", 7}}), HasSubstr("whole numbers"));
  EXPECT_THAT(objection_to("copy", {{"read_bytes", 8}, {"write_bytes", 4}}), HasSubstr("cast"));
  EXPECT_THAT(objection_to("cast", {{"elements", 8}, {"from_bytes", 3}}), HasSubstr("1, 2 or 4"));
  EXPECT_THAT(objection_to("cast", {{"elements", 8}, {"from_bytes", 4}}, NumberType::kFp32),
              HasSubstr("that is copy"));
  EXPECT_THAT(objection_to("add", {{"elements", 8}}, NumberType::kInt32), HasSubstr("needs bf16"));
}

}  // namespace
}  // namespace tactus::testing
