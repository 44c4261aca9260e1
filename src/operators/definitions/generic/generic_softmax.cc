#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/generic/generic.h"
#include "operators/definitions/rows.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// softmax: out = e^(x - largest) / sum of those, of each row. A unit is a row.

Problem softmax_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::vector<std::int64_t> rows = {problem.at("rows"), problem.at("columns")};
  problem.inputs = {{"x", shape.dtype, rows, Draw::kNormal, 0, 1, Refresh::kRowsAndColumns}};
  problem.outputs = {{"out", shape.dtype, rows}};
  return problem;
}

std::string softmax_objection(const ShapeParameters& shape) {
  const auto own = static_cast<std::int64_t>(bytes_of(shape.dtype));
  if (shape.find("out_bytes").value_or(own) != own) {
    return "the result must have the type of the scores";
  }
  return needs_floating(shape);
}

void softmax_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  const HostTensor& x = tensors.input("x");
  const std::int64_t rows = problem.at("rows");
  const std::int64_t columns = problem.at("columns");
  // Nearly all of the sum in few numbers, flat rows, and numbers that are all the same.
  scale_some_rows({&x}, columns, 8, 4, random);
  scale_some_rows({&x}, columns, 0x1p-6, 8, random);
  make_some_rows_equal(x, columns, random);
  // Above 88, exp() overflows in fp32: without subtracting the largest there is no result.
  constexpr double kBeyondExp = 100;
  const SomeRows high = some_rows(rows, columns, 4, random);
  for (std::int64_t row = high.first % std::min(rows, high.step); row < rows; row += high.step) {
    for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      x.set(i, x.get(i) + kBeyondExp);
    }
  }
}

std::int64_t softmax_rows(const Problem& problem) {
  return problem.at("rows");
}

double softmax_work(const Problem& problem) {
  return 40.0 * static_cast<double>(problem.at("columns"));
}

void softmax_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                    Expected& into) {
  const std::int64_t columns = problem.at("columns");
  const HostTensor& x = before.input("x");
  ExpectedRun run;
  run.first = unit * columns;
  double largest = -HUGE_VAL;
  for (std::int64_t i = 0; i < columns; ++i) largest = std::max(largest, x.get(run.first + i));
  // The exponent is rounded as a difference, and as a product with log2(e).
  const auto exponent_off = [largest](double number) {
    return fp32_slack(std::max({std::fabs(number), std::fabs(largest), largest - number}), 4);
  };
  double sum = 0;
  double sum_off = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    const double number = x.get(run.first + i);
    run.values.push_back(std::exp(number - largest));
    sum += run.values.back();
    sum_off += run.values.back() * exponent_off(number);
  }
  const double common = sum_off / sum + positive_sum_slack(1, columns) + fp32_slack(1, 12);
  // What fp32 has below its normal numbers may be 0.
  constexpr double kSmallest = 0x1p-126;
  for (std::int64_t i = 0; i < columns; ++i) {
    double& value = run.values[static_cast<std::size_t>(i)];
    value /= sum;
    run.slack.push_back(value * (common + exponent_off(x.get(run.first + i))) + kSmallest);
  }
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 2> kParameters = {"rows", "columns"};

constexpr std::array kSoftmax = {OperatorDefinition{.name = "softmax",
                                                    .shape_parameters = kParameters,
                                                    .problem = softmax_problem,
                                                    .draw = softmax_draw,
                                                    .units = softmax_rows,
                                                    .unit_work = softmax_work,
                                                    .expect = softmax_expect,
                                                    .objection = softmax_objection}};

}  // namespace

std::span<const OperatorDefinition> generic_softmax_definitions() {
  return kSoftmax;
}

}  // namespace tactus
