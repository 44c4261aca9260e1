#include "bench/checking/judge.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "operators/number_formats.h"
#include "support/trial.h"

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

double copy_work(const Problem&) {
  return 1;
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
                                   .unit_work = copy_work,
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
            "unit 0: out[0] is 1.015625, should be 1 (within 0.01)");
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

TEST(Judge, within_is_exact_at_the_ends_of_a_range) {
  const NumberType bf16 = NumberType::kBf16;
  // Neighbours of 1 in bf16 are 1 - 2^-8 and 1 + 2^-7; ties go to even.
  EXPECT_TRUE(within(bf16, 1, 1 + 0x1p-8, 0)) << "a tie goes to 1";
  EXPECT_FALSE(within(bf16, 1 + 0x1p-7, 1 + 0x1p-8, 0));
  EXPECT_TRUE(within(bf16, 1 + 0x1p-7, 1 + 0x1p-8, 1e-9)) << "the slack reaches over the tie";
  EXPECT_FALSE(within(bf16, 1 + 0x1p-6, 1 + 0x1p-8, 1e-9));
  EXPECT_TRUE(within(NumberType::kInt32, 7, 7, 0));
  EXPECT_FALSE(within(NumberType::kInt32, 8, 7, 0));
  EXPECT_TRUE(within(bf16, -0.0, 0, 0)) << "zeros are equal";
}

TEST(Judge, within_takes_infinity_where_a_number_rounds_to_it) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest_bf16 = largest(NumberType::kBf16);
  EXPECT_TRUE(within(NumberType::kBf16, infinity, 1e39, 0));
  EXPECT_FALSE(within(NumberType::kBf16, largest_bf16, 1e39, 0));
  EXPECT_FALSE(within(NumberType::kBf16, infinity, largest_bf16, 0));
  EXPECT_TRUE(within(NumberType::kBf16, infinity, largest_bf16, 1e37)) << "the slack reaches it";
  EXPECT_FALSE(within(NumberType::kBf16, -infinity, infinity, 1));
  EXPECT_FALSE(within(NumberType::kFp32, 3e38, infinity, infinity));
}

TEST(Judge, within_knows_that_fp8_has_no_infinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [type, most] :
       {std::pair{NumberType::kFp8E4m3, 448.0}, std::pair{NumberType::kFp8E4m3Fnuz, 240.0}}) {
    EXPECT_TRUE(within(type, most, most, 0));
    EXPECT_FALSE(within(type, nan, most, 0));
    EXPECT_TRUE(within(type, nan, 2 * most, 0)) << "beyond the range is NaN";
    EXPECT_FALSE(within(type, most, 2 * most, 0)) << "not the largest number";
    EXPECT_FALSE(within(type, 0, 2 * most, 0)) << "nor anything else";
    EXPECT_FALSE(within(type, -most, -2 * most, 0));
    EXPECT_TRUE(within(type, most, most, most)) << "slack beyond the range is no licence";
    EXPECT_FALSE(within(type, nan, most, most));
    EXPECT_FALSE(within(type, most / 2, most, most / 8));
  }
}

TEST(Judge, counts_what_it_compared_and_what_is_wrong) {
  const Trial trial(kCopy, {{"size", 40}}, 1, NumberType::kFp32);
  const TensorMemory after(trial.problem());
  for (std::int64_t i = 0; i < 40; ++i) {
    after.output("out").set(i, i % 10 == 3 ? -1 : trial.before().input("x").get(i));
  }
  const CheckedOutputs all =
      judge(kCopy, trial.problem(), trial.before(), after.tensors(), 1e9, 1, 2);
  EXPECT_FALSE(all.right);
  EXPECT_EQ(all.checked, 40);
  EXPECT_EQ(all.wrong, 4);
  EXPECT_TRUE(all.first.starts_with("out[3] is -1, should be ")) << all.first;
  EXPECT_GT(all.max_rel_err, 1);
}

TEST(Judge, looks_at_the_first_and_last_unit_even_if_it_may_do_next_to_nothing) {
  for (const std::int64_t place : {std::int64_t{0}, std::int64_t{999}}) {
    const Trial trial(kCopy, {{"size", 1000}}, 1, NumberType::kFp32);
    const TensorMemory after(trial.problem());
    for (std::int64_t i = 0; i < 1000; ++i) {
      after.output("out").set(i, i == place ? 0 : trial.before().input("x").get(i));
    }
    const CheckedOutputs some =
        judge(kCopy, trial.problem(), trial.before(), after.tensors(), 1, 7, 1);
    EXPECT_FALSE(some.right);
    EXPECT_LE(some.checked, 3);
  }
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
