#include <array>

#include "operators/definitions/generic/generic.h"
#include "operators/definitions/generic/pieces.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// add, sub, mul, div: a and b number by number, rounded once. b is as large as a; or it is one row
// (`row` numbers) that every row of a meets; or it is a column: one number for each row of `column`
// numbers of a.

struct PairSizes {
  std::int64_t elements;
  std::int64_t row;
  std::int64_t column;

  explicit PairSizes(const ShapeParameters& shape)
      : elements(*shape.find("elements")),
        row(shape.find("row").value_or(0)),
        column(shape.find("column").value_or(0)) {}

  std::int64_t width() const { return row > 0 ? row : column; }  ///< of a; 0: it is flat
  std::int64_t b_of(std::int64_t i) const {
    return row > 0 ? i % row : column > 0 ? i / column : i;
  }
};

std::string pair_objection(const ShapeParameters& shape) {
  const PairSizes s(shape);
  if (s.row < 0 || s.column < 0) return "row and column must be at least 1";
  if (s.row > 0 && s.column > 0) return "b is a row or a column, not both";
  if (s.width() > 0 && s.elements % s.width() != 0) return "elements must be whole rows";
  return needs_floating(shape);
}

Problem pair_problem(const ShapeParameters& shape) {
  const PairSizes s(shape);
  Problem problem;
  problem.shape = shape;
  std::vector<std::int64_t> a = {s.elements};
  std::vector<std::int64_t> b = a;
  if (s.width() > 0) {
    a = {s.elements / s.width(), s.width()};
    b = s.row > 0 ? std::vector{s.row} : std::vector<std::int64_t>{a[0], 1};
  }
  problem.inputs = {{"a", shape.dtype, a, Draw::kNormal, 0, 1},
                    {"b", shape.dtype, b, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, a}};
  return problem;
}

void pair_draw(const Problem&, const HostTensors& tensors, Random& random) {
  draw_uneven(tensors.input("a"), random);
  draw_uneven(tensors.input("b"), random);
}

struct Sum {
  static Uncertain of(double a, double b) { return in_fp32(a + b); }
};
struct Difference {
  static Uncertain of(double a, double b) { return in_fp32(a - b); }
};
struct Product {
  static Uncertain of(double a, double b) { return in_fp32(a * b); }
};
/// A kernel may multiply by the reciprocal, which is rounded, too.
struct Quotient {
  static Uncertain of(double a, double b) { return {a / b, fp32_slack(a / b, 4)}; }
};

template <class Function>
void pair_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  const PairSizes s(problem.shape);
  const HostTensor& a = before.input("a");
  const HostTensor& b = before.input("b");
  expect_piece(problem, unit, into,
               [&](std::int64_t i) { return Function::of(a.get(i), b.get(s.b_of(i))); });
}

constexpr std::array<std::string_view, 1> kElements = {"elements"};

constexpr OperatorDefinition of_pairs(std::string_view name, decltype(pair_expect<Sum>)* expect) {
  return {.name = name,
          .shape_parameters = kElements,
          .problem = pair_problem,
          .draw = pair_draw,
          .units = piece_count,
          .unit_work = piece_work,
          .expect = expect,
          .objection = pair_objection};
}

constexpr std::array kPairs = {
    of_pairs("add", pair_expect<Sum>), of_pairs("sub", pair_expect<Difference>),
    of_pairs("mul", pair_expect<Product>), of_pairs("div", pair_expect<Quotient>)};

}  // namespace

std::span<const OperatorDefinition> generic_pair_definitions() {
  return kPairs;
}

}  // namespace tactus
