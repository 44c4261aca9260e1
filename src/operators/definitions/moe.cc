#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/products.h"
#include "operators/definitions/terms.h"
#include "operators/number_formats.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// Both: for each expert of a token t = silu(x W1gate^T) * (x W1up^T), y = t W2^T, out = sum of
// weight * y. A unit is a token: its first products are needed for every column.

constexpr std::int64_t kBlock = 128;  // of numbers that share one scale

struct Sizes {
  std::int64_t tokens, hidden, intermediate, experts, top_k;
};

Sizes sizes_of(const Problem& problem) {
  return {problem.at("tokens"), problem.at("hidden"), problem.at("intermediate"),
          problem.at("experts"), problem.at("top_k")};
}

double deviation_of(std::int64_t terms) {
  return 1 / std::sqrt(static_cast<double>(terms));
}

std::int64_t moe_units(const Problem& problem) {
  return problem.at("tokens");
}

double moe_work(const Problem& problem) {
  const Sizes sizes = sizes_of(problem);
  return 6.0 * static_cast<double>(sizes.top_k) * static_cast<double>(sizes.hidden) *
         static_cast<double>(sizes.intermediate);
}

double silu(double x) {
  return x / (1 + std::exp(-x));
}

double silu_slope(double x) {
  const double gate = 1 / (1 + std::exp(-x));
  return gate * (1 + x * (1 - gate));
}

/// The values between the first and the second product of an expert.
struct Inner {
  std::vector<double> values;
  std::vector<double> variances;  ///< of the errors that are allowed

  void add(double gate, double gate_variance, double up, double up_variance) {
    const double value = silu(gate) * up;
    // Tensor cores take 16-bit operands, so t may be rounded to bf16.
    const double half = spacing(NumberType::kBf16, value) / 2;
    const double by_gate = silu_slope(gate) * up;
    const double by_up = silu(gate);
    values.push_back(value);
    variances.push_back(half * half / 3 + by_gate * by_gate * gate_variance +
                        by_up * by_up * up_variance);
  }
};

/// One output of the second product: sum of weight * y, with its allowed errors.
struct Total {
  double value = 0;
  double magnitude = 0;
  double variance = 0;

  double slack(std::int64_t terms) const {
    return sum_slack(magnitude, terms) + kDeviations * std::sqrt(variance);
  }
};

void add_product(Total& total, double weight, const Inner& inner, std::span<const double> w2) {
  Total sum;
  for (std::size_t i = 0; i < w2.size(); ++i) {
    const double term = inner.values[i] * w2[i];
    sum.value += term;
    sum.magnitude += std::fabs(term);
    sum.variance += inner.variances[i] * w2[i] * w2[i];
  }
  total.value += weight * sum.value;
  total.magnitude += std::fabs(weight) * sum.magnitude;
  total.variance += weight * weight * sum.variance;
}

ExpectedRun run_of(const std::vector<Total>& totals, std::int64_t first, std::int64_t terms) {
  ExpectedRun run;
  run.first = first;
  for (const Total& total : totals) {
    run.values.push_back(total.value);
    run.slack.push_back(total.slack(terms));
  }
  return run;
}

// fused_moe: bf16 in, fp32 out; a token may name an expert more than once.

Problem fused_moe_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const Sizes s = sizes_of(problem);
  problem.inputs = {{"hidden", NumberType::kBf16, {s.tokens, s.hidden}, Draw::kNormal, 0, 1},
                    {"w1",
                     NumberType::kBf16,
                     {s.experts, 2 * s.intermediate, s.hidden},
                     Draw::kNormal,
                     0,
                     deviation_of(s.hidden)},
                    {"w2",
                     NumberType::kBf16,
                     {s.experts, s.hidden, s.intermediate},
                     Draw::kNormal,
                     0,
                     deviation_of(s.intermediate)},
                    {"topk_weights",
                     NumberType::kFp32,
                     {s.tokens, s.top_k},
                     Draw::kOperator,
                     0,
                     1,
                     Refresh::kRows},
                    {"topk_ids",
                     NumberType::kInt32,
                     {s.tokens, s.top_k},
                     Draw::kOperator,
                     0,
                     static_cast<double>(s.experts),
                     Refresh::kIds}};
  problem.outputs = {{"out", NumberType::kFp32, {s.tokens, s.hidden}}};
  return problem;
}

void fused_moe_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  draw_softmax_rows(tensors.input("topk_weights"), problem.at("top_k"), random);
  const HostTensor& ids = tensors.input("topk_ids");
  for (std::int64_t i = 0; i < ids.elements(); ++i) {
    ids.as<std::int32_t>()[i] = static_cast<std::int32_t>(random.below(problem.at("experts")));
  }
}

void fused_moe_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                      Expected& into) {
  const Sizes s = sizes_of(problem);
  const std::vector<double> x = row_of(before.input("hidden"), unit * s.hidden, s.hidden);
  const HostTensor& w1 = before.input("w1");
  const HostTensor& w2 = before.input("w2");
  std::vector<double> gate_row(x.size());
  std::vector<double> up_row(x.size());
  std::vector<double> w2_row(static_cast<std::size_t>(s.intermediate));
  std::vector<Total> totals(x.size());
  for (std::int64_t slot = 0; slot < s.top_k; ++slot) {
    const auto expert =
        static_cast<std::int64_t>(before.input("topk_ids").get(unit * s.top_k + slot));
    const double weight = before.input("topk_weights").get(unit * s.top_k + slot);
    Inner inner;
    for (std::int64_t i = 0; i < s.intermediate; ++i) {
      const std::int64_t row = expert * 2 * s.intermediate + i;
      read_row(w1, row * s.hidden, gate_row);
      read_row(w1, (row + s.intermediate) * s.hidden, up_row);
      // The errors of fp32 sums are far smaller than the rounding of t.
      inner.add(dot(x, gate_row).value, 0, dot(x, up_row).value, 0);
    }
    for (std::int64_t j = 0; j < s.hidden; ++j) {
      read_row(w2, (expert * s.hidden + j) * s.intermediate, w2_row);
      add_product(totals[static_cast<std::size_t>(j)], weight, inner, w2_row);
    }
  }
  into.push_back(run_of(totals, unit * s.hidden, s.intermediate));
}

std::string fused_moe_also(const Problem& problem, const HostTensors& /*before*/,
                           const HostTensors& after, std::int64_t unit) {
  const std::int64_t hidden = problem.at("hidden");
  return only_bf16_numbers(after.output("out"), unit * hidden, hidden);
}

// fp8_blockscale_fused_moe: fp8 in with one scale per block, fp8 out without a scale.

Problem fp8_moe_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const Sizes s = sizes_of(problem);
  constexpr NumberType kFp8 = NumberType::kFp8E4m3Fnuz;
  const std::int64_t hidden_blocks = ceil_div(s.hidden, kBlock);
  const std::int64_t inner_blocks = ceil_div(s.intermediate, kBlock);
  // 240 is 7 deviations away. Scales give x a deviation of 1, both inner products about 1, the
  // output about 5: far from 240, and far from the smallest fp8 numbers.
  const double w1_scale = deviation_of(s.hidden) / 32;
  const double w2_scale = 8 * deviation_of(s.intermediate) / 32;
  problem.inputs = {{"hidden_states", kFp8, {s.tokens, s.hidden}, Draw::kNormal, 0, 32},
                    {"w1", kFp8, {s.experts, 2 * s.intermediate, s.hidden}, Draw::kNormal, 0, 32},
                    {"w2", kFp8, {s.experts, s.hidden, s.intermediate}, Draw::kNormal, 0, 32},
                    {"topk_weights",
                     NumberType::kFp32,
                     {s.tokens, s.top_k},
                     Draw::kOperator,
                     0,
                     1,
                     Refresh::kRows},
                    {"topk_ids",
                     NumberType::kInt32,
                     {s.tokens, s.top_k},
                     Draw::kOperator,
                     0,
                     static_cast<double>(s.experts),
                     Refresh::kIds},
                    {"a_scale",
                     NumberType::kFp32,
                     {s.tokens, hidden_blocks},
                     Draw::kLogUniform,
                     1.0 / 64,
                     1.0 / 16},
                    {"fc1_scale",
                     NumberType::kFp32,
                     {s.experts, ceil_div(2 * s.intermediate, kBlock), hidden_blocks},
                     Draw::kLogUniform,
                     w1_scale / 2,
                     w1_scale * 2},
                    {"fc2_scale",
                     NumberType::kFp32,
                     {s.experts, hidden_blocks, inner_blocks},
                     Draw::kLogUniform,
                     w2_scale / 2,
                     w2_scale * 2}};
  problem.outputs = {{"out", kFp8, {s.tokens, s.hidden}}};
  problem.parameters = {{"fp8_max", largest(kFp8)}, {"block", static_cast<double>(kBlock)}};
  return problem;
}

void fp8_moe_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  const std::int64_t top_k = problem.at("top_k");
  draw_softmax_rows(tensors.input("topk_weights"), top_k, random);
  const HostTensor& ids = tensors.input("topk_ids");
  for (std::int64_t first = 0; first < ids.elements(); first += top_k) {
    const std::vector<std::int64_t> drawn = draw_distinct(top_k, problem.at("experts"), random);
    for (std::int64_t slot = 0; slot < top_k; ++slot) {
      ids.as<std::int32_t>()[first + slot] =
          static_cast<std::int32_t>(drawn[static_cast<std::size_t>(slot)]);
    }
  }
}

/// The first product of one expert.
Inner fp8_inner(const Sizes& s, const HostTensors& before, const ScaledRow& x,
                std::int64_t expert) {
  const HostTensor& w1 = before.input("w1");
  const HostTensor& scale = before.input("fc1_scale");
  const std::int64_t blocks = ceil_div(s.hidden, kBlock);
  const std::int64_t row_blocks = ceil_div(2 * s.intermediate, kBlock);
  std::vector<double> numbers(static_cast<std::size_t>(s.hidden));
  std::vector<double> scales(static_cast<std::size_t>(blocks));
  const auto product = [&](std::int64_t row) {
    read_row(w1, (expert * 2 * s.intermediate + row) * s.hidden, numbers);
    read_row(scale, (expert * row_blocks + row / kBlock) * blocks, scales);
    return scaled_dot(x, {numbers, scales}, kBlock);
  };
  Inner inner;
  for (std::int64_t i = 0; i < s.intermediate; ++i) {
    const ScaledSum gate = product(i);
    const ScaledSum up = product(s.intermediate + i);
    inner.add(gate.value, gate.variance, up.value, up.variance);
  }
  return inner;
}

void fp8_moe_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                    Expected& into) {
  const Sizes s = sizes_of(problem);
  const std::int64_t hidden_blocks = ceil_div(s.hidden, kBlock);
  const std::int64_t inner_blocks = ceil_div(s.intermediate, kBlock);
  const std::vector<double> x = row_of(before.input("hidden_states"), unit * s.hidden, s.hidden);
  const std::vector<double> x_scales =
      row_of(before.input("a_scale"), unit * hidden_blocks, hidden_blocks);
  const HostTensor& w2 = before.input("w2");
  std::vector<double> w2_row(static_cast<std::size_t>(s.intermediate));
  std::vector<double> scales(static_cast<std::size_t>(inner_blocks));
  std::vector<Total> totals(x.size());
  for (std::int64_t slot = 0; slot < s.top_k; ++slot) {
    const auto expert =
        static_cast<std::int64_t>(before.input("topk_ids").get(unit * s.top_k + slot));
    const double weight = before.input("topk_weights").get(unit * s.top_k + slot);
    const Inner inner = fp8_inner(s, before, {x, x_scales}, expert);
    for (std::int64_t j = 0; j < s.hidden; ++j) {
      read_row(w2, (expert * s.hidden + j) * s.intermediate, w2_row);
      read_row(before.input("fc2_scale"), (expert * hidden_blocks + j / kBlock) * inner_blocks,
               scales);
      for (std::size_t i = 0; i < w2_row.size(); ++i) w2_row[i] *= scales[i / kBlock];
      add_product(totals[static_cast<std::size_t>(j)], weight, inner, w2_row);
    }
  }
  into.push_back(run_of(totals, unit * s.hidden, s.intermediate));
}

constexpr std::array<std::string_view, 5> kMoe = {"tokens", "hidden", "intermediate", "experts",
                                                  "top_k"};

}  // namespace

OperatorDefinition fused_moe_definition() {
  return {.name = "fused_moe",
          .shape_parameters = kMoe,
          .problem = fused_moe_problem,
          .draw = fused_moe_draw,
          .units = moe_units,
          .unit_work = moe_work,
          .expect = fused_moe_expect,
          .also = fused_moe_also};
}

OperatorDefinition fp8_blockscale_fused_moe_definition() {
  return {.name = "fp8_blockscale_fused_moe",
          .shape_parameters = kMoe,
          .problem = fp8_moe_problem,
          .draw = fp8_moe_draw,
          .units = moe_units,
          .unit_work = moe_work,
          .expect = fp8_moe_expect};
}

}  // namespace tactus
