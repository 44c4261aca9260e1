// Generic operators and shapes by their parameters, beside those of the catalogue.
#include "bench/asked_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/measured.h"

namespace tactus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(BenchQuestion question) {
  const Result<Catalogue> catalogue = asked_catalogue(built_in_catalogue(), question);
  return catalogue ? "" : catalogue.error().message;
}

TEST(AskedShapes, leave_the_catalogue_as_it_is_if_nothing_generic_is_asked) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{}, std::vector<std::string>{"rms_norm"}}) {
    BenchQuestion question = {.operators = names};
    const Result<Catalogue> catalogue = asked_catalogue(built_in_catalogue(), question);
    ASSERT_TRUE(catalogue);
    EXPECT_EQ(catalogue->operators.size(), 30u);
  }
}

TEST(AskedShapes, have_a_catalogue_of_their_own) {
  BenchQuestion question = {.operators = {"softmax", "gemm"}};
  const Result<Catalogue> catalogue = asked_catalogue(built_in_catalogue(), question);
  ASSERT_TRUE(catalogue);
  EXPECT_EQ(catalogue->operators.size(), 2u);
  const Result<std::vector<BenchTask>> tasks = plan_bench(*catalogue, question);
  ASSERT_TRUE(tasks);
  EXPECT_GT(tasks->size(), 4u);
}

TEST(AskedShapes, do_not_count_beside_published_operators) {
  BenchQuestion question = {.operators = {"softmax", "rms_norm"}};
  const Result<Catalogue> catalogue = asked_catalogue(built_in_catalogue(), question);
  ASSERT_TRUE(catalogue);
  EXPECT_EQ(catalogue->operators.size(), 31u);
  EXPECT_EQ((*find_operator(*catalogue, "softmax"))->importance, 0);
}

TEST(AskedShapes, are_those_of_a_given_catalogue_if_it_has_them) {
  Catalogue mined;
  mined.operators.push_back({.name = "gemm"});
  BenchQuestion question = {.operators = {"gemm"}};
  const Result<Catalogue> catalogue = asked_catalogue(mined, question);
  ASSERT_TRUE(catalogue);
  EXPECT_TRUE(catalogue->operators.at(0).shapes.empty());
}

TEST(AskedShapes, can_be_given_by_parameters) {
  BenchQuestion question = {.operators = {"softmax"},
                            .shapes = {"rows=3", "columns=7", "dtype=fp32"}};
  const Result<Catalogue> catalogue = asked_catalogue(built_in_catalogue(), question);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  EXPECT_THAT(question.shapes, ElementsAre("rows=3,columns=7,dtype=fp32"));
  const Result<std::vector<BenchTask>> tasks = plan_bench(*catalogue, question);
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 1u);
  const Shape& shape = *tasks->at(0).shape;
  EXPECT_EQ(shape.parameters.find("columns"), 7);
  EXPECT_EQ(shape.parameters.dtype, NumberType::kFp32);
}

TEST(AskedShapes, can_be_given_for_published_operators_too) {
  BenchQuestion question = {.operators = {"rms_norm"}, .shapes = {"tokens=3", "hidden=64"}};
  const Result<Catalogue> catalogue = asked_catalogue(built_in_catalogue(), question);
  ASSERT_TRUE(catalogue);
  EXPECT_EQ((*find_operator(*catalogue, "rms_norm"))->shapes.size(), 1u);
}

TEST(AskedShapes, of_generic_operators_are_checked_and_timed) {
  Candidate cpu;
  cpu.name = "cpu";
  const std::vector<std::pair<std::string, testing::Sizes>> all = {
      {"softmax", {{"rows", 40}, {"columns", 64}}},
      {"gemm", {{"m", 9}, {"n", 40}, {"k", 64}}},
      {"attention", {{"heads", 4}, {"kv_heads", 2}, {"head_dim", 32}, {"q_len", 8}, {"kv_len", 9}}},
      {"gelu", {{"elements", 3000}}},
      {"cast", {{"elements", 3000}, {"from_bytes", 4}}}};
  for (const auto& [name, sizes] : all) {
    const BenchRow row = testing::measured(cpu, name, sizes);
    EXPECT_EQ(row.status, BenchStatus::kOk) << name << ": " << row.reason;
    EXPECT_TRUE(row.t_ns) << name;
  }
}

// With two rows, a key often moves both to where they were for the results that an output holds.
TEST(AskedShapes, rows_that_have_the_same_result_again_are_not_taken_for_unwritten) {
  Candidate cpu;
  cpu.name = "cpu";
  for (int i = 0; i < 4; ++i) {
    const BenchRow row = testing::measured(cpu, "softmax", {{"rows", 2}, {"columns", 32}});
    EXPECT_EQ(row.status, BenchStatus::kOk) << row.reason;
  }
}

TEST(AskedShapes, say_what_is_wrong_with_parameters) {
  EXPECT_THAT(refusal({.shapes = {"rows=3"}}), HasSubstr("name one operator"));
  EXPECT_THAT(refusal({.operators = {"softmax"}, .shapes = {"rows=3"}}),
              HasSubstr("softmax needs columns"));
  EXPECT_THAT(refusal({.operators = {"softmax"}, .shapes = {"row=3"}}),
              HasSubstr("softmax has no parameter row; it has columns, rows, dtype"));
  EXPECT_THAT(refusal({.operators = {"softmax"}, .shapes = {"rows=x"}}), HasSubstr("whole number"));
  EXPECT_THAT(refusal({.operators = {"softmax"}, .shapes = {"rows=-1"}}),
              HasSubstr("whole number"));
  EXPECT_THAT(refusal({.operators = {"softmax"}, .shapes = {"rows=3", "4"}}),
              HasSubstr("--shape 4"));
  EXPECT_THAT(refusal({.operators = {"softmax"}, .shapes = {"dtype=bf17"}}),
              HasSubstr("not a type"));
  EXPECT_THAT(refusal({.operators = {"soft"}, .shapes = {"rows=3"}}),
              HasSubstr("no operator soft"));
}

}  // namespace
}  // namespace tactus
