// Generic operators on rows and columns: right arithmetic passes, and what people leave out fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<std::pair<std::string, std::int64_t>>;

constexpr NumberType kTypes[] = {NumberType::kBf16, NumberType::kFp16, NumberType::kFp32};

const OperatorDefinition& definition_of(std::string_view name) {
  return **find_definition(name);
}

float number_at(const HostTensor& tensor, std::int64_t index) {
  return static_cast<float>(tensor.get(index));
}

std::string objection_to(std::string_view name, const Values& values,
                         NumberType dtype = NumberType::kBf16) {
  const Result<Problem> problem =
      make_problem(definition_of(name), {.values = values, .dtype = dtype});
  return problem ? "" : problem.error().message;
}

// ---- add, sub, mul, div

using Function = std::function<float(float, float)>;
using Place = std::function<std::int64_t(std::int64_t)>;

/// b_of(i): which number of b meets number i of a.
Trial::Kernel pairs(Function function, Place b_of) {
  return [function = std::move(function), b_of = std::move(b_of)](const Problem&,
                                                                  const HostTensors& tensors) {
    for (std::int64_t i = 0; i < tensors.outputs[0].elements(); ++i) {
      const float result =
          function(number_at(tensors.input("a"), i), number_at(tensors.input("b"), b_of(i)));
      tensors.outputs[0].set(i, static_cast<double>(result));
    }
  };
}

struct Named {
  std::string_view name;
  Function function;
};

const std::vector<Named>& functions() {
  static const std::vector<Named> all = {{"add", [](float a, float b) { return a + b; }},
                                         {"sub", [](float a, float b) { return a - b; }},
                                         {"mul", [](float a, float b) { return a * b; }},
                                         {"div", [](float a, float b) { return a / b; }}};
  return all;
}

TEST(GenericPairs, meet_all_numbers_a_row_or_a_column) {
  for (const auto& [name, function] : functions()) {
    for (const NumberType type : kTypes) {
      const auto wrong = [&](const Values& values, const Place& b_of) {
        return Trial(definition_of(name), values, 2, type).wrong(pairs(function, b_of));
      };
      EXPECT_EQ(wrong({{"elements", 3000}}, [](std::int64_t i) { return i; }), "") << name;
      EXPECT_EQ(wrong({{"elements", 3000}, {"row", 30}}, [](std::int64_t i) { return i % 30; }), "")
          << name;
      EXPECT_EQ(wrong({{"elements", 3000}, {"column", 30}}, [](std::int64_t i) { return i / 30; }),
                "")
          << name;
    }
  }
}

TEST(GenericPairs, refuse_another_function_order_or_place) {
  const auto in_rows = [](std::int64_t i) { return i % 50; };
  const auto in_columns = [](std::int64_t i) { return i / 50; };
  for (const auto& [name, function] : functions()) {
    const Trial row(definition_of(name), {{"elements", 2500}, {"row", 50}});
    EXPECT_FALSE(row.right(pairs(function, in_columns))) << name;
    const Trial column(definition_of(name), {{"elements", 2500}, {"column", 50}});
    EXPECT_FALSE(column.right(pairs(function, in_rows))) << name;
    for (const auto& [other, wrong] : functions()) {
      EXPECT_EQ(row.right(pairs(wrong, in_rows)), other == name) << name << " " << other;
    }
    if (name != "sub" && name != "div") continue;
    const Function swapped = [&f = function](float a, float b) { return f(b, a); };
    EXPECT_FALSE(row.right(pairs(swapped, in_rows))) << name;
  }
}

TEST(GenericPairs, divide_by_the_reciprocal_too) {
  for (const NumberType type : kTypes) {
    const Trial trial(definition_of("div"), {{"elements", 3000}}, 2, type);
    const auto whole = [](std::int64_t i) { return i; };
    EXPECT_EQ(trial.wrong(pairs([](float a, float b) { return a * (1 / b); }, whole)), "");
    EXPECT_FALSE(trial.right(
        pairs([](float a, float b) { return a * bf16_to_float(float_to_bf16(1 / b)); }, whole)));
  }
}

TEST(GenericPairs, say_what_is_wrong_with_a_shape) {
  EXPECT_THAT(objection_to("add", {{"elements", 10}, {"row", 3}}), HasSubstr("whole rows"));
  EXPECT_THAT(objection_to("mul", {{"elements", 10}, {"row", 5}, {"column", 2}}),
              HasSubstr("not both"));
  EXPECT_THAT(objection_to("div", {{"elements", 10}}, NumberType::kInt64), HasSubstr("needs bf16"));
}

// ---- sum, mean, max

struct Reduction {
  float start = 0;
  Function joined = [](float a, float b) { return a + b; };
  std::int64_t left_out = 0;  ///< of the terms
  bool in_bf16 = false;
  bool mean = false;
  bool other_axis = false;
};

Trial::Kernel reduction(Reduction how) {
  return [how](const Problem& problem, const HostTensors& tensors) {
    const HostTensor& x = tensors.input("x");
    const HostTensor& out = tensors.output("out");
    const std::int64_t columns = problem.at("columns");
    const bool over_first = (problem.value("first") != 0) != how.other_axis;
    const std::int64_t terms = x.elements() / out.elements();
    for (std::int64_t i = 0; i < out.elements(); ++i) {
      float so_far = how.start;
      for (std::int64_t k = 0; k < terms - how.left_out; ++k) {
        so_far = how.joined(so_far, number_at(x, over_first ? k * columns + i : i * columns + k));
        if (how.in_bf16) so_far = bf16_to_float(float_to_bf16(so_far));
      }
      if (how.mean) so_far /= static_cast<float>(terms);
      out.set(i, static_cast<double>(so_far));
    }
  };
}

const Reduction kSum;
const Reduction kMean{.mean = true};
const Reduction kMax{.start = -HUGE_VALF,
                     .joined = [](float a, float b) { return std::max(a, b); }};

TEST(GenericReductions, accept_fp32_over_either_axis) {
  for (const NumberType type : kTypes) {
    for (const std::int64_t first : {0, 1}) {
      const auto wrong = [&](std::string_view name, const Reduction& how) {
        const Values values = {{"rows", 40}, {"columns", 3000}, {"first", first}};
        return Trial(definition_of(name), values, 2, type).wrong(reduction(how));
      };
      EXPECT_EQ(wrong("sum", kSum), "");
      EXPECT_EQ(wrong("mean", kMean), "");
      EXPECT_EQ(wrong("max", kMax), "");
    }
  }
}

TEST(GenericReductions, refuse_shortcuts) {
  for (const std::int64_t first : {0, 1}) {
    const Values values = {{"rows", 500}, {"columns", 500}, {"first", first}};
    for (const auto& [name, right] :
         {std::pair<std::string_view, Reduction>{"sum", kSum}, {"mean", kMean}, {"max", kMax}}) {
      const Trial trial(definition_of(name), values);
      Reduction how = right;
      how.left_out = 1;
      EXPECT_FALSE(trial.right(reduction(how))) << name;
      how = right;
      how.other_axis = true;
      EXPECT_FALSE(trial.right(reduction(how))) << name;
      how = right;
      how.in_bf16 = true;
      EXPECT_EQ(trial.right(reduction(how)), name == "max") << "it has its numbers already";
      how = right;
      how.start = 0;
      EXPECT_EQ(trial.right(reduction(how)), name != "max") << "all numbers are below 0";
      how = right;
      how.mean = !right.mean;
      EXPECT_FALSE(trial.right(reduction(how))) << name;
    }
  }
}

// ---- cat, gather, fill

Trial::Kernel cat(bool swapped) {
  return [swapped](const Problem& problem, const HostTensors& tensors) {
    const HostTensor& first = tensors.inputs[swapped ? 1 : 0];
    const HostTensor& second = tensors.inputs[swapped ? 0 : 1];
    std::int64_t at = 0;
    for (std::int64_t row = 0; row < problem.at("rows"); ++row) {
      for (const HostTensor* from : {&first, &second}) {
        const std::int64_t columns = from->spec->shape[1];
        for (std::int64_t i = 0; i < columns; ++i) {
          tensors.outputs[0].set(at++, from->get(row * columns + i));
        }
      }
    }
  };
}

TEST(GenericCat, has_each_row_of_b_behind_that_of_a) {
  for (const NumberType type : {NumberType::kBf16, NumberType::kFp32, NumberType::kFp8E4m3}) {
    const Values values = {{"rows", 20}, {"a_columns", 30}, {"b_columns", 7}};
    const Trial trial(definition_of("cat"), values, 1, type);
    EXPECT_EQ(trial.wrong(cat(false)), "");
    EXPECT_FALSE(trial.right(cat(true)));
  }
}

Trial::Kernel gather(std::int64_t off) {
  return [off](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t columns = problem.at("columns");
    for (std::int64_t i = 0; i < tensors.outputs[0].elements(); ++i) {
      const auto row = static_cast<std::int64_t>(tensors.input("index").get(i / columns));
      tensors.outputs[0].set(
          i, tensors.input("table").get((row + off) % problem.at("table_rows") * columns +
                                        i % columns));
    }
  };
}

TEST(GenericGather, takes_the_rows_that_are_named) {
  for (const std::int64_t index_bytes : {4, 8}) {
    const Trial trial(
        definition_of("gather"),
        {{"rows", 40}, {"columns", 16}, {"table_rows", 100}, {"index_bytes", index_bytes}});
    EXPECT_EQ(trial.wrong(gather(0)), "");
    EXPECT_FALSE(trial.right(gather(1)));
  }
  EXPECT_THAT(
      objection_to("gather", {{"rows", 4}, {"columns", 4}, {"table_rows", 4}, {"index_bytes", 2}}),
      HasSubstr("4 or 8"));
}

TEST(GenericFill, writes_the_number_that_it_is_given) {
  const Trial trial(definition_of("fill"), {{"write_bytes", 1000}});
  const auto fill = [](double factor) {
    return [factor](const Problem&, const HostTensors& tensors) {
      for (std::int64_t i = 0; i < tensors.outputs[0].elements(); ++i) {
        tensors.outputs[0].set(i, factor * tensors.input("value").get(0));
      }
    };
  };
  EXPECT_EQ(trial.wrong(fill(1)), "");
  EXPECT_FALSE(trial.right(fill(0)));
  EXPECT_FALSE(trial.right(fill(-1)));
  EXPECT_THAT(objection_to("fill", {{"write_bytes", 7}}), HasSubstr("whole numbers"));
}

}  // namespace
}  // namespace tactus::testing
