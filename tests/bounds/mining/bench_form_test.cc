// Shapes of a trace as operators that bench computes.
#include "bounds/mining/bench_form.h"

#include <gtest/gtest.h>

#include "operators/definition.h"

namespace tactus {
namespace {

using Values = std::vector<std::pair<std::string, std::int64_t>>;

TraceShape traced(std::string op, std::string operator_name, Values values,
                  NumberType dtype = NumberType::kBf16) {
  TraceShape shape;
  shape.op = std::move(op);
  shape.operator_name = std::move(operator_name);
  shape.parameters.values = std::move(values);
  shape.parameters.dtype = dtype;
  return shape;
}

/// The form is one that can be computed, and moves as many bytes as the kernel of the trace had to.
void expect_same_bytes(const TraceShape& shape) {
  const BenchForm form = bench_form(shape);
  const Result<const OperatorDefinition*> definition = find_definition(form.operator_name);
  ASSERT_TRUE(definition) << form.operator_name;
  const Result<Problem> problem = make_problem(**definition, form.parameters);
  EXPECT_TRUE(problem) << problem.error().message;
  Shape before;
  before.parameters = shape.parameters;
  Shape after;
  after.parameters = form.parameters;
  const Result<Cost> traced_cost = cost_of(shape.operator_name, before, CostModel::kStrict);
  const Result<Cost> form_cost = cost_of(form.operator_name, after, CostModel::kStrict);
  ASSERT_TRUE(traced_cost && form_cost);
  EXPECT_EQ(traced_cost->read_bytes, form_cost->read_bytes);
  EXPECT_EQ(traced_cost->write_bytes, form_cost->write_bytes);
}

TEST(BenchForm, of_elementwise_ops_on_whole_tensors) {
  const TraceShape add = traced("aten::add_", "elementwise",
                                {{"read_bytes", 400}, {"write_bytes", 200}, {"flops", 100}});
  EXPECT_EQ(bench_form(add).operator_name, "add");
  EXPECT_EQ(bench_form(add).parameters.find("elements"), 100);
  expect_same_bytes(add);
  const TraceShape gelu =
      traced("aten::gelu", "elementwise",
             {{"read_bytes", 400}, {"write_bytes", 400}, {"flops", 100}}, NumberType::kFp32);
  EXPECT_EQ(bench_form(gelu).operator_name, "gelu");
  expect_same_bytes(gelu);
}

TEST(BenchForm, of_elementwise_ops_with_a_row_or_a_column) {
  const TraceShape row =
      traced("aten::mul", "elementwise",
             {{"read_bytes", 220}, {"write_bytes", 200}, {"flops", 100}, {"row", 10}});
  EXPECT_EQ(bench_form(row).operator_name, "mul");
  EXPECT_EQ(bench_form(row).parameters.find("row"), 10);
  expect_same_bytes(row);
  const TraceShape column =
      traced("aten::div", "elementwise",
             {{"read_bytes", 440}, {"write_bytes", 400}, {"flops", 100}, {"column", 10}},
             NumberType::kFp32);
  EXPECT_EQ(bench_form(column).operator_name, "div");
  EXPECT_EQ(bench_form(column).parameters.find("column"), 10);
  expect_same_bytes(column);
}

TEST(BenchForm, of_reductions) {
  const Values rows = {{"read_bytes", 2000},
                       {"write_bytes", 20},
                       {"elements", 1000},
                       {"rows", 10},
                       {"columns", 100}};
  const TraceShape mean = traced("aten::mean", "reduce", rows);
  EXPECT_EQ(bench_form(mean).operator_name, "mean");
  expect_same_bytes(mean);
  expect_same_bytes(traced("aten::amax", "reduce", rows));
  EXPECT_EQ(bench_form(traced("aten::max", "reduce", rows)).operator_name, "reduce")
      << "with places";
  EXPECT_EQ(bench_form(traced("aten::argmax", "reduce", rows)).operator_name, "reduce");
  Values columns = rows;
  columns[1].second = 200;
  columns.emplace_back("first", 1);
  const TraceShape sum = traced("aten::sum", "reduce", columns);
  EXPECT_EQ(bench_form(sum).operator_name, "sum");
  EXPECT_EQ(bench_form(sum).parameters.find("first"), 1);
  expect_same_bytes(sum);
}

TEST(BenchForm, of_two_tensors_side_by_side) {
  const auto sides = [](std::int64_t bytes, std::int64_t rows, std::int64_t a, std::int64_t b) {
    return traced("aten::cat", "cat",
                  {{"read_bytes", bytes},
                   {"write_bytes", bytes},
                   {"rows", rows},
                   {"a_columns", a},
                   {"b_columns", b}});
  };
  EXPECT_EQ(bench_form(sides(200, 10, 6, 4)).operator_name, "cat");
  expect_same_bytes(sides(200, 10, 6, 4));
  const BenchForm wide = bench_form(sides(400, 10, 6, 4));
  EXPECT_EQ(wide.parameters.dtype, NumberType::kFp32) << "only the size of its numbers is known";
  expect_same_bytes(sides(400, 10, 6, 4));
  EXPECT_EQ(bench_form(sides(200, 1, 100, 0)).operator_name, "copy") << "of one tensor";
  expect_same_bytes(sides(200, 1, 100, 0));
  EXPECT_EQ(bench_form(sides(800, 10, 6, 4)).parameters, sides(800, 10, 6, 4).parameters);
}

TEST(BenchForm, of_moves) {
  expect_same_bytes(
      traced("aten::embedding", "gather",
             {{"rows", 10}, {"columns", 8}, {"table_rows", 100}, {"index_bytes", 8}}));
  const TraceShape zero = traced("aten::zero_", "fill", {{"write_bytes", 200}});
  EXPECT_EQ(bench_form(zero).operator_name, "fill");
  expect_same_bytes(zero);
  EXPECT_EQ(bench_form(traced("aten::random_", "fill", {{"write_bytes", 200}})).operator_name,
            "generate");
}

TEST(BenchForm, leaves_broadcasts_and_other_functions_as_they_are) {
  for (const TraceShape& shape :
       {traced("aten::add", "elementwise",
               {{"read_bytes", 220}, {"write_bytes", 200}, {"flops", 100}}),
        traced("aten::exp", "elementwise",
               {{"read_bytes", 200}, {"write_bytes", 200}, {"flops", 100}}),
        traced("aten::add", "elementwise",
               {{"read_bytes", 1600}, {"write_bytes", 800}, {"flops", 100}}, NumberType::kInt64),
        traced("aten::mul", "elementwise",
               {{"read_bytes", 0}, {"write_bytes", 0}, {"flops", 0}})}) {
    EXPECT_EQ(bench_form(shape).operator_name, "elementwise");
    EXPECT_EQ(bench_form(shape).parameters, shape.parameters);
  }
}

TEST(BenchForm, of_copies) {
  const TraceShape cast =
      traced("aten::copy_", "copy", {{"read_bytes", 400}, {"write_bytes", 200}});
  EXPECT_EQ(bench_form(cast).operator_name, "cast");
  EXPECT_EQ(bench_form(cast).parameters.find("from_bytes"), 4);
  expect_same_bytes(cast);
  const TraceShape copy =
      traced("aten::copy_", "copy", {{"read_bytes", 200}, {"write_bytes", 200}});
  EXPECT_EQ(bench_form(copy).operator_name, "copy");
  expect_same_bytes(copy);
  TraceShape from_integers = cast;
  from_integers.label = "100, int32 to bf16";
  EXPECT_EQ(bench_form(from_integers).operator_name, "copy");
}

TraceShape pages(std::int64_t queries, std::int64_t keys, std::int64_t pairs) {
  return traced("vllm::unified_attention_with_output", "attention_over_pages",
                {{"heads", 8},
                 {"kv_heads", 2},
                 {"head_dim", 64},
                 {"head_dim_v", 64},
                 {"queries", queries},
                 {"keys", keys},
                 {"pairs", pairs},
                 {"kv_bits", 16}});
}

TEST(BenchForm, of_attention_over_pages) {
  const BenchForm decode = bench_form(pages(4, 400, 400));
  EXPECT_EQ(decode.operator_name, "attention");
  EXPECT_EQ(decode.parameters.find("batch"), 4);
  EXPECT_EQ(decode.parameters.find("q_len"), 1);
  EXPECT_EQ(decode.parameters.find("kv_len"), 100);
  expect_same_bytes(pages(4, 400, 400));
  const BenchForm prefill = bench_form(pages(100, 100, 5050));
  EXPECT_EQ(prefill.parameters.find("batch"), 1);
  EXPECT_EQ(prefill.parameters.find("causal"), 1);
  expect_same_bytes(pages(100, 100, 5050));
  EXPECT_EQ(bench_form(pages(100, 300, 5050)).operator_name, "attention_over_pages");
  EXPECT_EQ(bench_form(pages(0, 0, 0)).operator_name, "attention_over_pages");
}

}  // namespace
}  // namespace tactus
