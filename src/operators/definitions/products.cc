#include "operators/definitions/products.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/definitions/terms.h"
#include "operators/number_formats.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// A unit of a product is a row times this many columns.
constexpr std::int64_t kColumns = 128;

struct Tile {
  std::int64_t row = 0;
  std::int64_t first = 0;  ///< column
  std::int64_t columns = 0;
};

Tile tile_of(std::int64_t unit, std::int64_t columns) {
  const std::int64_t blocks = ceil_div(columns, kColumns);
  const std::int64_t first = unit % blocks * kColumns;
  return {unit / blocks, first, std::min(kColumns, columns - first)};
}

// block_scaled_mm: out = sum over blocks of k of (a . b) * a_scale * b_scale, fp8 in, fp32 out.

Problem block_scaled_mm_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t m = problem.at("m");
  const std::int64_t n = problem.at("n");
  const std::int64_t k = problem.at("k");
  const std::int64_t k_blocks = ceil_div(k, problem.at("group_k"));
  const std::int64_t n_blocks = ceil_div(n, problem.at("group_n"));
  // 448 is 7 deviations away: no drawn number becomes NaN.
  problem.inputs = {
      {"a", NumberType::kFp8E4m3, {m, k}, Draw::kNormal, 0, 64},
      {"b", NumberType::kFp8E4m3, {n, k}, Draw::kNormal, 0, 64},
      {"a_scales", NumberType::kFp32, {m, k_blocks}, Draw::kLogUniform, 0.005, 0.02},
      {"b_scales", NumberType::kFp32, {n_blocks, k_blocks}, Draw::kLogUniform, 0.005, 0.02}};
  problem.outputs = {{"out", NumberType::kFp32, {m, n}}};
  problem.parameters = {{"group_n", static_cast<double>(problem.at("group_n"))},
                        {"group_k", static_cast<double>(problem.at("group_k"))}};
  return problem;
}

std::int64_t block_scaled_mm_units(const Problem& problem) {
  return problem.at("m") * ceil_div(problem.at("n"), kColumns);
}

double block_scaled_mm_work(const Problem& problem) {
  return 4.0 * kColumns * static_cast<double>(problem.at("k"));  // each term is used twice
}

void block_scaled_mm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                            Expected& into) {
  const std::int64_t n = problem.at("n");
  const std::int64_t k = problem.at("k");
  const std::int64_t group_k = problem.at("group_k");
  const std::int64_t k_blocks = ceil_div(k, group_k);
  const Tile tile = tile_of(unit, n);
  const std::vector<double> a = row_of(before.input("a"), tile.row * k, k);
  const std::vector<double> a_scales =
      row_of(before.input("a_scales"), tile.row * k_blocks, k_blocks);
  std::vector<double> b(static_cast<std::size_t>(k));
  std::vector<double> b_scales(static_cast<std::size_t>(k_blocks));
  ExpectedRun run;
  run.first = tile.row * n + tile.first;
  for (std::int64_t j = tile.first; j < tile.first + tile.columns; ++j) {
    read_row(before.input("b"), j * k, b);
    read_row(before.input("b_scales"), j / problem.at("group_n") * k_blocks, b_scales);
    const ScaledSum sum = scaled_dot({a, a_scales}, {b, b_scales}, group_k);
    run.values.push_back(sum.value);
    // Sums of fp32 in any order, or short accumulators inside a block.
    run.slack.push_back(sum_slack(sum.magnitude, k) + kDeviations * std::sqrt(sum.variance));
  }
  into.push_back(std::move(run));
}

std::string block_scaled_mm_also(const Problem& problem, const HostTensors& /*before*/,
                                 const HostTensors& after, std::int64_t unit) {
  const std::int64_t n = problem.at("n");
  const Tile tile = tile_of(unit, n);
  return only_bf16_numbers(after.output("out"), tile.row * n + tile.first, tile.columns);
}

// linear_sigmoid_mul: gate = bf(hidden W^T + bias), out = bf(sigmoid(gate) * post).

Problem linear_sigmoid_mul_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t hidden = problem.at("hidden");
  const std::int64_t out = problem.at("out");
  const NumberType type = half_type(shape);
  // The gate has a deviation of 1.1: neither flat nor saturated.
  problem.inputs = {
      {"hidden", type, {tokens, hidden}, Draw::kNormal, 0, 1},
      {"weight", type, {out, hidden}, Draw::kNormal, 0, 1 / std::sqrt(static_cast<double>(hidden))},
      {"bias", type, {out}, Draw::kNormal, 0, 0.5},
      {"post", type, {tokens, out}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", type, {tokens, out}}};
  return problem;
}

std::int64_t linear_sigmoid_mul_units(const Problem& problem) {
  return problem.at("tokens") * ceil_div(problem.at("out"), kColumns);
}

double linear_sigmoid_mul_work(const Problem& problem) {
  return 2.0 * kColumns * static_cast<double>(problem.at("hidden"));
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

void linear_sigmoid_mul_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                               Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const std::int64_t out = problem.at("out");
  const NumberType type = half_type(problem.shape);
  const Tile tile = tile_of(unit, out);
  const std::vector<double> x = row_of(before.input("hidden"), tile.row * hidden, hidden);
  std::vector<double> weight(static_cast<std::size_t>(hidden));
  ExpectedRun run;
  run.first = tile.row * out + tile.first;
  for (std::int64_t j = tile.first; j < tile.first + tile.columns; ++j) {
    read_row(before.input("weight"), j * hidden, weight);
    const ProductSum sum = dot(x, weight);
    const double bias = before.input("bias").get(j);
    const double post = before.input("post").get(tile.row * out + j);
    const double gate = sum.value + bias;
    const double off = sum_slack(sum.magnitude + std::fabs(bias), hidden);
    const double value = sigmoid(rounded(type, gate)) * post;
    // If the fp32 sum may be on the other side of a tie, the gate is off by one spacing.
    const double low = sigmoid(rounded(type, gate - off)) * post;
    const double high = sigmoid(rounded(type, gate + off)) * post;
    run.values.push_back(value);
    run.slack.push_back(std::max(std::fabs(low - value), std::fabs(high - value)) +
                        fp32_slack(value));
  }
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 5> kBlockScaled = {"m", "n", "k", "group_n", "group_k"};
constexpr std::array<std::string_view, 3> kLinear = {"tokens", "hidden", "out"};

}  // namespace

std::span<const OperatorDefinition> product_definitions() {
  static const std::array kDefinitions = {OperatorDefinition{.name = "block_scaled_mm",
                                                             .shape_parameters = kBlockScaled,
                                                             .problem = block_scaled_mm_problem,
                                                             .units = block_scaled_mm_units,
                                                             .unit_work = block_scaled_mm_work,
                                                             .expect = block_scaled_mm_expect,
                                                             .also = block_scaled_mm_also},
                                          OperatorDefinition{.name = "linear_sigmoid_mul",
                                                             .shape_parameters = kLinear,
                                                             .problem = linear_sigmoid_mul_problem,
                                                             .units = linear_sigmoid_mul_units,
                                                             .unit_work = linear_sigmoid_mul_work,
                                                             .expect = linear_sigmoid_mul_expect},
                                          fused_moe_definition(),
                                          fp8_blockscale_fused_moe_definition()};
  return kDefinitions;
}

}  // namespace tactus
