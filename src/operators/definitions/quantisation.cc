#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/definitions/rows.h"
#include "operators/slack.h"
#include "operators/uncertain.h"

namespace tactus {
namespace {

constexpr NumberType kFnuz = NumberType::kFp8E4m3Fnuz;

double row_work(const Problem& problem) {
  return 16.0 * static_cast<double>(problem.at("hidden"));
}

double fused_row_work(const Problem& problem) {
  return 2 * row_work(problem);
}

// A scale may be a quotient or a product with a reciprocal; the numbers may be divided by it or
// multiplied with its reciprocal (quotients: 2 units on a GPU).
constexpr double kScaleRoundings = 4;
constexpr double kQuotientRoundings = 8;  // of a number by a scale: those of the scale included

double largest_of(const HostTensor& x, std::int64_t first, std::int64_t count) {
  double largest = 0;
  for (std::int64_t i = first; i < first + count; ++i) {
    largest = std::max(largest, std::fabs(x.get(i)));
  }
  return largest;
}

void append(ExpectedRun& run, double value, double slack) {
  run.values.push_back(value);
  run.slack.push_back(slack);
}

// fp8_dynamic_per_token_quant: scale = max(largest |x|, least_amax) / fp8_max; q = x / scale,
// within
// +-fp8_max. A unit is a row.

Problem per_token_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t hidden = problem.at("hidden");
  problem.inputs = {{"x", NumberType::kBf16, {tokens, hidden}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"q", kFnuz, {tokens, hidden}}, {"scale", NumberType::kFp32, {tokens}}};
  problem.parameters = {{"fp8_max", 240}, {"least_amax", 1e-12}};
  return problem;
}

void quantisation_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  make_some_rows_quiet({&tensors.input("x")}, problem.at("hidden"), 0x1p-10, random);
  // So small that the least scale decides.
  if (problem.at("tokens") >= 16) {
    scale_some_rows({&tensors.input("x")}, problem.at("hidden"), 0x1p-45, 16, random);
  }
  make_some_rows_zero({&tensors.input("x")}, problem.at("hidden"), random);
}

void per_token_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                      Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const double most = problem.value("fp8_max");
  const HostTensor& x = before.input("x");
  const std::int64_t first = unit * hidden;
  const double scale = std::max(largest_of(x, first, hidden), problem.value("least_amax")) / most;
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = first; i < first + hidden; ++i) {
    const double value = std::clamp(x.get(i) / scale, -most, most);
    append(run, value, fp32_slack(value, kQuotientRoundings));
  }
  into.push_back(std::move(run));
  into.push_back({1, unit, {scale}, {fp32_slack(scale, kScaleRoundings)}});
}

// per_token_group_quant_fp8: the same for each group of a row, scale = max(largest |x| / fp8_max,
// least_scale). A unit is a row.

Problem per_group_problem(const ShapeParameters& shape) {
  Problem problem = per_token_problem(shape);
  const std::int64_t groups = problem.at("hidden") / problem.at("group_size");
  // The platform's format: AMD's takes 224 here, not its largest number.
  const bool fnuz = shape.dtype == kFnuz;
  problem.outputs = {{"quantized", fnuz ? kFnuz : NumberType::kFp8E4m3, problem.inputs[0].shape},
                     {"scales", NumberType::kFp32, {problem.at("tokens"), groups}}};
  problem.parameters = {{"fp8_max", fnuz ? 224 : 448},
                        {"least_scale", 1e-10},
                        {"group_size", static_cast<double>(problem.at("group_size"))}};
  return problem;
}

std::string per_group_objection(const ShapeParameters& shape) {
  if (*shape.find("hidden") % *shape.find("group_size") == 0) return "";
  return "hidden must be a multiple of group_size";
}

void per_group_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                      Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const std::int64_t group = problem.at("group_size");
  const double most = problem.value("fp8_max");
  const HostTensor& x = before.input("x");
  ExpectedRun run;
  run.first = unit * hidden;
  ExpectedRun scales;
  scales.output = 1;
  scales.first = unit * (hidden / group);
  for (std::int64_t first = run.first; first < run.first + hidden; first += group) {
    const double scale = std::max(largest_of(x, first, group) / most, problem.value("least_scale"));
    append(scales, scale, fp32_slack(scale, kScaleRoundings));
    for (std::int64_t i = first; i < first + group; ++i) {
      const double value = std::clamp(x.get(i) / scale, -most, most);
      append(run, value, fp32_slack(value, kQuotientRoundings));
    }
  }
  into.push_back(std::move(run));
  into.push_back(std::move(scales));
}

// fused_rmsnorm_quant: r = bf16(x + residual); y = bf16(r * rsqrt(mean(r^2) + eps) * weight);
// scale = largest |y| / fp8_max, 1 where that is 0; q = y / scale. A unit is a row.

Problem fused_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t hidden = problem.at("hidden");
  const std::vector<std::int64_t> rows = {tokens, hidden};
  problem.inputs = {{"x", NumberType::kBf16, rows, Draw::kNormal, 0, 1},
                    {"residual", NumberType::kBf16, rows, Draw::kNormal, 0, 1},
                    {"weight", NumberType::kBf16, {hidden}, Draw::kNormal, 1, 0.25}};
  problem.outputs = {{"quantized", kFnuz, rows},
                     {"scale", NumberType::kFp32, {tokens, 1}},
                     {"residual_out", NumberType::kBf16, rows}};
  problem.parameters = {{"eps", 1e-5}, {"fp8_max", 240}};
  return problem;
}

void fused_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  const HostTensor& x = tensors.input("x");
  const HostTensor& residual = tensors.input("residual");
  make_some_rows_quiet({&x, &residual}, problem.at("hidden"), 0x1p-9, random);
  make_some_rows_zero({&x, &residual}, problem.at("hidden"), random);
}

/// Where the normed row is rounded to bf16 besides at its end.
enum class NormRounding : std::uint8_t { kOnce, kBeforeWeight };

/// The normed row as bf16, before it is quantised.
std::vector<Uncertain> normed_row(const Problem& problem, const HostTensors& before,
                                  const std::vector<Uncertain>& sums, NormRounding rounding) {
  const auto hidden = static_cast<std::int64_t>(sums.size());
  const HostTensor& weight = before.input("weight");
  double squares = 0;
  std::vector<Uncertain> row;
  for (const Uncertain& sum : sums) {
    row.push_back(stored(NumberType::kBf16, sum));
    squares += row.back().value * row.back().value;
  }
  const double scale = 1 / std::sqrt(squares / static_cast<double>(hidden) + problem.value("eps"));
  // As in rms_norm: half that of the sum, then the roundings of root and products.
  const double relative = positive_sum_slack(1, hidden) / 2 + fp32_slack(1, 6);
  for (std::int64_t i = 0; i < hidden; ++i) {
    Uncertain& r = row[static_cast<std::size_t>(i)];
    const double normed = r.value * scale;
    Uncertain kept = {normed, std::fabs(normed) * relative + r.slack * scale};
    if (rounding == NormRounding::kBeforeWeight) kept = stored(NumberType::kBf16, kept);
    r = stored(NumberType::kBf16,
               {kept.value * weight.get(i), kept.slack * std::fabs(weight.get(i))});
  }
  return row;
}

template <NormRounding kRounding>
void fused_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                  Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const double most = problem.value("fp8_max");
  const std::int64_t first = unit * hidden;
  ExpectedRun sums;
  sums.output = 2;
  sums.first = first;
  const HostTensor& x = before.input("x");
  const HostTensor& residual = before.input("residual");
  std::vector<Uncertain> kept;
  for (std::int64_t i = first; i < first + hidden; ++i) {
    kept.push_back(in_fp32(x.get(i) + residual.get(i)));
    append(sums, kept.back().value, kept.back().slack);
  }
  const std::vector<Uncertain> row = normed_row(problem, before, kept, kRounding);
  // If its rounding is in doubt, the largest may be another bf16 number.
  double largest = 0;
  double low = 0;
  double high = 0;
  for (const Uncertain& y : row) {
    largest = std::max(largest, std::fabs(y.value));
    low = std::max(low, std::fabs(y.value) - y.slack);
    high = std::max(high, std::fabs(y.value) + y.slack);
  }
  const double scale = largest == 0 ? 1 : largest / most;
  const double scale_slack = std::max(high - largest, largest - low) / most;
  // With the smallest possible scale: a quotient grows more than its divisor shrinks.
  const double least_scale = scale - scale_slack;
  ExpectedRun run;
  run.first = first;
  for (const Uncertain& y : row) {
    const double value = y.value / scale;
    append(run, value,
           fp32_slack(value, kQuotientRoundings) + y.slack / least_scale +
               std::fabs(value) * scale_slack / least_scale);
  }
  into.push_back(std::move(run));
  into.push_back({1, unit, {scale}, {fp32_slack(scale, kScaleRoundings) + scale_slack}});
  into.push_back(std::move(sums));
}

constexpr std::array<std::string_view, 2> kRows = {"tokens", "hidden"};
constexpr std::array<std::string_view, 3> kGroups = {"tokens", "hidden", "group_size"};

constexpr std::array kFusedVariants = {
    OperatorVariant{"rounded_before_weight", fused_expect<NormRounding::kBeforeWeight>}};

constexpr std::array kDefinitions = {
    OperatorDefinition{.name = "fp8_dynamic_per_token_quant",
                       .shape_parameters = kRows,
                       .problem = per_token_problem,
                       .draw = quantisation_draw,
                       .units = tokens_of,
                       .unit_work = row_work,
                       .expect = per_token_expect},
    OperatorDefinition{.name = "per_token_group_quant_fp8",
                       .shape_parameters = kGroups,
                       .problem = per_group_problem,
                       .draw = quantisation_draw,
                       .units = tokens_of,
                       .unit_work = row_work,
                       .expect = per_group_expect,
                       .objection = per_group_objection},
    OperatorDefinition{.name = "fused_rmsnorm_quant",
                       .shape_parameters = kRows,
                       .problem = fused_problem,
                       .draw = fused_draw,
                       .units = tokens_of,
                       .unit_work = fused_row_work,
                       .expect = fused_expect<NormRounding::kOnce>,
                       .variants = kFusedVariants},
};

}  // namespace

std::span<const OperatorDefinition> quantisation_definitions() {
  return kDefinitions;
}

}  // namespace tactus
