#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/generic/generic.h"
#include "operators/definitions/rows.h"
#include "operators/slack.h"
#include "operators/uncertain.h"

namespace tactus {
namespace {

// sum, mean, max of each row; with `first` = 1 of each column, over the first axis. A unit is a
// row, or some columns.

constexpr std::int64_t kColumns = 32;

struct ReducedSizes {
  std::int64_t rows;
  std::int64_t columns;
  bool over_first;

  explicit ReducedSizes(const ShapeParameters& shape)
      : rows(*shape.find("rows")),
        columns(*shape.find("columns")),
        over_first(shape.find("first").value_or(0) != 0) {}

  std::int64_t results() const { return over_first ? columns : rows; }
  std::int64_t terms() const { return over_first ? rows : columns; }
  /// The place of a term of a result.
  std::int64_t at(std::int64_t result, std::int64_t term) const {
    return over_first ? term * columns + result : result * columns + term;
  }
};

/// Numbers below 0 for the largest: one that begins at 0 is wrong. Mean 0 for sums: of a few
/// numbers that are missing each would be lost in the rounding of a large sum.
template <bool kBelowZero>
Problem reduced_problem(const ShapeParameters& shape) {
  const ReducedSizes s(shape);
  Problem problem;
  problem.shape = shape;
  problem.inputs = {{"x",
                     shape.dtype,
                     {s.rows, s.columns},
                     Draw::kNormal,
                     kBelowZero ? -6.0 : 0.0,
                     1,
                     kBelowZero ? Refresh::kRowsAndColumns : Refresh::kByDraw}};
  problem.outputs = {{"out", shape.dtype, {s.results()}}};
  problem.parameters = {{"first", s.over_first ? 1.0 : 0.0}};
  return problem;
}

/// One scale for all would show.
void sum_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  const std::int64_t columns = problem.at("columns");
  scale_some_rows({&tensors.input("x")}, columns, 0x1p-6, 4, random);
}

std::int64_t reduced_units(const Problem& problem) {
  const ReducedSizes s(problem.shape);
  return s.over_first ? (s.columns + kColumns - 1) / kColumns : s.rows;
}

double reduced_work(const Problem& problem) {
  const ReducedSizes s(problem.shape);
  return 4.0 * static_cast<double>(s.terms() * (s.over_first ? kColumns : 1));
}

/// make(result) for each result of a unit.
template <class Make>
void expect_results(const Problem& problem, std::int64_t unit, Expected& into, const Make& make) {
  const ReducedSizes s(problem.shape);
  const std::int64_t count = s.over_first ? kColumns : 1;
  ExpectedRun run;
  run.first = unit * count;
  for (std::int64_t i = run.first; i < std::min(run.first + count, s.results()); ++i) {
    const Uncertain number = make(s, i);
    run.values.push_back(number.value);
    run.slack.push_back(number.slack);
  }
  into.push_back(std::move(run));
}

Uncertain sum_of(const HostTensor& x, const ReducedSizes& s, std::int64_t result) {
  double sum = 0;
  double magnitude = 0;
  for (std::int64_t term = 0; term < s.terms(); ++term) {
    const double number = x.get(s.at(result, term));
    sum += number;
    magnitude += std::fabs(number);
  }
  return {sum, s.terms() > 1 ? sum_slack(magnitude, s.terms()) : 0};
}

void sum_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                Expected& into) {
  expect_results(problem, unit, into, [&](const ReducedSizes& s, std::int64_t result) {
    return sum_of(before.input("x"), s, result);
  });
}

/// A kernel may multiply with the reciprocal of the number of terms, in the end or before.
void mean_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  expect_results(problem, unit, into, [&](const ReducedSizes& s, std::int64_t result) {
    const Uncertain sum = sum_of(before.input("x"), s, result);
    const auto terms = static_cast<double>(s.terms());
    return Uncertain{sum.value / terms, sum.slack / terms + fp32_slack(sum.value / terms, 4)};
  });
}

void max_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                Expected& into) {
  expect_results(problem, unit, into, [&](const ReducedSizes& s, std::int64_t result) {
    double largest = -HUGE_VAL;
    for (std::int64_t term = 0; term < s.terms(); ++term) {
      largest = std::max(largest, before.input("x").get(s.at(result, term)));
    }
    return Uncertain{largest, 0};
  });
}

constexpr std::array<std::string_view, 2> kParameters = {"rows", "columns"};

constexpr OperatorDefinition of_rows(std::string_view name,
                                     decltype(reduced_problem<false>)* problem,
                                     decltype(sum_draw)* draw, decltype(sum_expect)* expect) {
  return {.name = name,
          .shape_parameters = kParameters,
          .problem = problem,
          .draw = draw,
          .units = reduced_units,
          .unit_work = reduced_work,
          .expect = expect,
          .objection = needs_floating};
}

constexpr std::array kReductions = {of_rows("sum", reduced_problem<false>, sum_draw, sum_expect),
                                    of_rows("mean", reduced_problem<false>, sum_draw, mean_expect),
                                    of_rows("max", reduced_problem<true>, nullptr, max_expect)};

}  // namespace

std::span<const OperatorDefinition> generic_reduction_definitions() {
  return kReductions;
}

}  // namespace tactus
