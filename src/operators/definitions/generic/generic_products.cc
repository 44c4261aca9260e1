#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/generic/generic.h"
#include "operators/definitions/rows.h"
#include "operators/definitions/terms.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// gemm: out[m, n] = a[m, k] . b[n, k], for each of a batch. Weights are stored as layers have them,
// one row per result. A unit is a row times some columns.

constexpr std::int64_t kGemmColumns = 128;

std::int64_t gemm_batch(const ShapeParameters& shape) {
  return shape.find("batch").value_or(1);
}

std::int64_t gemm_out_bytes(const ShapeParameters& shape) {
  return shape.find("out_bytes").value_or(static_cast<std::int64_t>(bytes_of(shape.dtype)));
}

NumberType gemm_out_type(const ShapeParameters& shape) {
  if (gemm_out_bytes(shape) == 4) return NumberType::kFp32;
  return shape.dtype == NumberType::kFp8E4m3 ? NumberType::kBf16 : shape.dtype;
}

std::string gemm_objection(const ShapeParameters& shape) {
  const bool fp8 = shape.dtype == NumberType::kFp8E4m3;
  const std::string objection = fp8 ? "" : needs_floating(shape);
  if (!objection.empty()) return objection;
  const std::int64_t least = fp8 ? 2 : static_cast<std::int64_t>(bytes_of(shape.dtype));
  const std::int64_t out_bytes = gemm_out_bytes(shape);
  if (out_bytes != 4 && out_bytes != least) {
    return fp8 ? "out_bytes must be 2 (bf16) or 4 (fp32)"
               : "out_bytes must be that of the type, or 4 (fp32)";
  }
  if (shape.find("bias").value_or(0) != 0) return "a bias is not computed";
  const std::int64_t batch = gemm_batch(shape);
  return batch >= 1 && batch <= 0x7fffffff ? "" : "batch must be at least 1";
}

std::vector<std::int64_t> batched(const ShapeParameters& shape, std::int64_t rows,
                                  std::int64_t columns) {
  const std::int64_t batch = gemm_batch(shape);
  if (batch == 1) return {rows, columns};
  return {batch, rows, columns};
}

Problem gemm_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t m = problem.at("m");
  const std::int64_t n = problem.at("n");
  const std::int64_t k = problem.at("k");
  // Results of unit size; fp8 has too few small numbers for that.
  const double deviation =
      shape.dtype == NumberType::kFp8E4m3 ? 1 : 1 / std::sqrt(static_cast<double>(k));
  problem.inputs = {{"a", shape.dtype, batched(shape, m, k), Draw::kNormal, 0, 1},
                    {"b", shape.dtype, batched(shape, n, k), Draw::kNormal, 0, deviation}};
  problem.outputs = {{"out", gemm_out_type(shape), batched(shape, m, n)}};
  return problem;
}

void gemm_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  // Small rows: a product that is exact relative to the largest number only is wrong there.
  scale_some_rows({&tensors.input("a")}, problem.at("k"),
                  problem.shape.dtype == NumberType::kFp8E4m3 ? 0x1p-3 : 0x1p-6, 4, random);
}

std::int64_t gemm_units(const Problem& problem) {
  return gemm_batch(problem.shape) * problem.at("m") * ceil_div(problem.at("n"), kGemmColumns);
}

double gemm_work(const Problem& problem) {
  return 2.0 * kGemmColumns * static_cast<double>(problem.at("k"));
}

/// Both operands rounded, or cut, to 11 bits: random errors, and one in the direction of 0 that all
/// terms share.
double tf32_slack(const ProductSum& sum) {
  return 0x1p-9 * std::fabs(sum.value) + kDeviations * 0x1p-10 * std::sqrt(sum.squares);
}

double short_sum_slack(std::span<const double> a, std::span<const double> b) {
  constexpr double kScale = 1;
  const std::span<const double> one(&kScale, 1);
  const ScaledSum sum = scaled_dot({a, one}, {b, one}, static_cast<std::int64_t>(a.size()));
  return kDeviations * std::sqrt(sum.variance);
}

template <bool kTf32>
void gemm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  const std::int64_t m = problem.at("m");
  const std::int64_t n = problem.at("n");
  const std::int64_t k = problem.at("k");
  const std::int64_t blocks = ceil_div(n, kGemmColumns);
  const std::int64_t row = unit / blocks;  // of all batches
  const std::int64_t first = unit % blocks * kGemmColumns;
  const std::int64_t b_first = row / m * n;
  const std::vector<double> a = row_of(before.input("a"), row * k, k);
  std::vector<double> b(a.size());
  ExpectedRun run;
  run.first = row * n + first;
  for (std::int64_t j = first; j < std::min(n, first + kGemmColumns); ++j) {
    read_row(before.input("b"), (b_first + j) * k, b);
    const ProductSum sum = dot(a, b);
    double slack = sum_slack(sum.magnitude, k);
    if (problem.shape.dtype == NumberType::kFp8E4m3) slack += short_sum_slack(a, b);
    if (kTf32 && problem.shape.dtype == NumberType::kFp32) slack += tf32_slack(sum);
    run.values.push_back(sum.value);
    run.slack.push_back(slack);
  }
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 3> kGemmParameters = {"m", "n", "k"};
constexpr std::array kGemmVariants = {OperatorVariant{"tf32", gemm_expect<true>}};

constexpr std::array kGemm = {OperatorDefinition{.name = "gemm",
                                                 .shape_parameters = kGemmParameters,
                                                 .problem = gemm_problem,
                                                 .draw = gemm_draw,
                                                 .units = gemm_units,
                                                 .unit_work = gemm_work,
                                                 .expect = gemm_expect<false>,
                                                 .variants = kGemmVariants,
                                                 .objection = gemm_objection}};

}  // namespace

std::span<const OperatorDefinition> generic_product_definitions() {
  return kGemm;
}

}  // namespace tactus
