// The judge that the tests of the operators rely on.
#include "support/judge.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "operators/number_formats.h"

namespace tactus::testing {
namespace {

/// A made-up operator of one output whose expected numbers are its input's, within 0.01.
Problem copy_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  problem.inputs = {{"x", NumberType::kFp32, {problem.at("size")}, Draw::kUniform, 1, 2}};
  problem.outputs = {{"out", shape.dtype, {problem.at("size")}}};
  return problem;
}

std::int64_t copy_units(const Problem& problem) {
  return problem.at("size");
}

void copy_expect(const Problem&, const HostTensors& before, std::int64_t unit, Expected& into) {
  into.push_back({0, unit, {before.input("x").get(unit)}, {0.01}});
}

std::string copy_objection(const ShapeParameters& shape) {
  return *shape.find("size") == 13 ? "a size of 13 brings bad luck" : "";
}

constexpr std::array<std::string_view, 1> kSize = {"size"};
constexpr OperatorDefinition kCopy{.name = "copy",
                                   .shape_parameters = kSize,
                                   .problem = copy_problem,
                                   .units = copy_units,
                                   .expect = copy_expect,
                                   .objection = copy_objection};

std::string wrong_with(double x, double out, NumberType dtype) {
  const Trial trial(kCopy, {{"size", 1}}, 1, dtype);
  trial.before().input("x").set(0, x);
  return trial.wrong(
      [&](const Problem&, const HostTensors& tensors) { tensors.output("out").set(0, out); });
}

TEST(Judge, accepts_what_the_slack_reaches_after_rounding_and_nothing_more) {
  EXPECT_EQ(wrong_with(1, 1, NumberType::kFp32), "");
  EXPECT_EQ(wrong_with(1, 1.0099, NumberType::kFp32), "");
  EXPECT_EQ(wrong_with(1, 1.015625, NumberType::kFp32),
            "unit 0: out[0] is 1.015625, expected 1 within 0.01");
  EXPECT_NE(wrong_with(1, 1.0101, NumberType::kFp32), "");
  EXPECT_NE(wrong_with(1, 0.9899, NumberType::kFp32), "");
  // fp8 has 1 and 1.125: only from 1.0525 on can the rounding be the larger one.
  EXPECT_NE(wrong_with(1.05, 1.125, NumberType::kFp8E4m3), "");
  EXPECT_EQ(wrong_with(1.0575, 1.125, NumberType::kFp8E4m3), "");
  EXPECT_EQ(wrong_with(1.0575, 1, NumberType::kFp8E4m3), "");
}

TEST(Judge, accepts_nan_and_infinity_only_where_they_belong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(wrong_with(1, nan, NumberType::kFp32), "");
  EXPECT_NE(wrong_with(nan, 1, NumberType::kFp32), "");
  EXPECT_EQ(wrong_with(nan, nan, NumberType::kFp32), "");
  EXPECT_NE(wrong_with(1, infinity, NumberType::kFp32), "");
  EXPECT_NE(wrong_with(-infinity, infinity, NumberType::kFp32), "");
  EXPECT_NE(wrong_with(-infinity, -3e38, NumberType::kFp32), "");
  EXPECT_EQ(wrong_with(-infinity, -infinity, NumberType::kFp32), "");
  EXPECT_EQ(wrong_with(1000, nan, NumberType::kFp8E4m3), "") << "what does not fit fp8 is NaN";
  EXPECT_NE(wrong_with(1000, 448, NumberType::kFp8E4m3), "");
}

TEST(Judge, sees_outputs_that_were_not_written) {
  for (const NumberType dtype : {NumberType::kFp32, NumberType::kBf16, NumberType::kFp16,
                                 NumberType::kFp8E4m3, NumberType::kFp8E4m3Fnuz}) {
    const Trial trial(kCopy, {{"size", 4}}, 1, dtype);
    EXPECT_NE(trial.wrong([](const Problem&, const HostTensors&) {}), "");
    EXPECT_EQ(trial.wrong_if_as_expected(), "");
  }
}

TEST(Judge, looks_only_at_the_units_it_is_told) {
  const Trial trial(kCopy, {{"size", 4}}, 1, NumberType::kFp32);
  const TensorMemory after(trial.problem());
  for (std::int64_t i = 0; i < 4; ++i) {
    after.output("out").set(i, i == 2 ? 0 : trial.before().input("x").get(i));
  }
  const std::array<std::int64_t, 3> good = {0, 1, 3};
  EXPECT_TRUE(right(kCopy, trial.problem(), trial.before(), after.tensors(), good));
  const std::array<std::int64_t, 1> bad = {2};
  EXPECT_FALSE(right(kCopy, trial.problem(), trial.before(), after.tensors(), bad));
}

TEST(MakeProblem, says_what_is_wrong_with_a_shape) {
  const auto error = [](std::vector<std::pair<std::string, std::int64_t>> values) {
    ShapeParameters shape;
    shape.values = std::move(values);
    const Result<Problem> problem = make_problem(kCopy, shape);
    return problem ? "" : problem.error().message;
  };
  EXPECT_EQ(error({{"size", 5}}), "");
  EXPECT_EQ(error({}), "copy needs size of at least 1");
  EXPECT_EQ(error({{"size", 0}}), "copy needs size of at least 1");
  EXPECT_EQ(error({{"size", -3}}), "copy needs size of at least 1");
  EXPECT_EQ(error({{"size", 13}}), "copy: a size of 13 brings bad luck");
  EXPECT_EQ(error({{"size", std::numeric_limits<std::int64_t>::max()}}),
            "copy: size of 9223372036854775807 is too large");
}

}  // namespace
}  // namespace tactus::testing
