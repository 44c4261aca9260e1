#include <array>

#include "operators/definitions/generic/generic.h"
#include "operators/definitions/generic/pieces.h"

namespace tactus {
namespace {

// cat, gather, fill: numbers that only move, so none may change.

std::string any_floating(const ShapeParameters& shape) {
  return shape.dtype == NumberType::kFp8E4m3 ? "" : needs_floating(shape);
}

// cat: rows of a, each with its row of b behind it.

Problem cat_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t rows = problem.at("rows");
  const std::int64_t a = problem.at("a_columns");
  const std::int64_t b = problem.at("b_columns");
  problem.inputs = {{"a", shape.dtype, {rows, a}, Draw::kNormal, 0, 1},
                    {"b", shape.dtype, {rows, b}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, {rows, a + b}}};
  return problem;
}

void cat_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                Expected& into) {
  const std::int64_t a = problem.at("a_columns");
  const std::int64_t b = problem.at("b_columns");
  expect_piece(problem, unit, into, [&](std::int64_t i) {
    const std::int64_t row = i / (a + b);
    const std::int64_t column = i % (a + b);
    return Uncertain{column < a ? before.input("a").get(row * a + column)
                                : before.input("b").get(row * b + column - a),
                     0};
  });
}

// gather: the rows of a table that an index names (index_select, embedding).

std::int64_t index_bytes(const ShapeParameters& shape) {
  return shape.find("index_bytes").value_or(8);
}

std::string gather_objection(const ShapeParameters& shape) {
  if (index_bytes(shape) != 4 && index_bytes(shape) != 8) return "index_bytes must be 4 or 8";
  return any_floating(shape);
}

Problem gather_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t rows = problem.at("rows");
  const std::int64_t columns = problem.at("columns");
  const std::int64_t table_rows = problem.at("table_rows");
  const NumberType index = index_bytes(shape) == 4 ? NumberType::kInt32 : NumberType::kInt64;
  problem.inputs = {
      {"table", shape.dtype, {table_rows, columns}, Draw::kNormal, 0, 1},
      {"index", index, {rows}, Draw::kOperator, 0, static_cast<double>(table_rows), Refresh::kIds}};
  problem.outputs = {{"out", shape.dtype, {rows, columns}}};
  return problem;
}

/// With repeats, as tokens have them.
void gather_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  const HostTensor& index = tensors.input("index");
  for (std::int64_t i = 0; i < index.elements(); ++i) {
    index.set(i, static_cast<double>(random.below(problem.at("table_rows"))));
  }
}

void gather_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                   Expected& into) {
  const std::int64_t columns = problem.at("columns");
  expect_piece(problem, unit, into, [&](std::int64_t i) {
    const auto row = static_cast<std::int64_t>(before.input("index").get(i / columns));
    return Uncertain{before.input("table").get(row * columns + i % columns), 0};
  });
}

// fill: one number everywhere. It is an input, so that memory that holds it already is none that
// was filled.

std::string fill_objection(const ShapeParameters& shape) {
  const std::string objection = any_floating(shape);
  if (!objection.empty()) return objection;
  const auto width = static_cast<std::int64_t>(bytes_of(shape.dtype));
  return *shape.find("write_bytes") % width == 0 ? ""
                                                 : "write_bytes must be whole numbers of the type";
}

Problem fill_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const auto width = static_cast<std::int64_t>(bytes_of(shape.dtype));
  problem.inputs = {{"value", shape.dtype, {1}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, {problem.at("write_bytes") / width}}};
  return problem;
}

void fill_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  expect_piece(problem, unit, into, [&](std::int64_t) {
    return Uncertain{before.input("value").get(0), 0};
  });
}

constexpr std::array<std::string_view, 3> kCat = {"rows", "a_columns", "b_columns"};
constexpr std::array<std::string_view, 3> kGather = {"rows", "columns", "table_rows"};
constexpr std::array<std::string_view, 1> kFill = {"write_bytes"};

constexpr std::array kMoves = {OperatorDefinition{.name = "cat",
                                                  .shape_parameters = kCat,
                                                  .problem = cat_problem,
                                                  .units = piece_count,
                                                  .unit_work = piece_work,
                                                  .expect = cat_expect,
                                                  .objection = any_floating},
                               OperatorDefinition{.name = "gather",
                                                  .shape_parameters = kGather,
                                                  .problem = gather_problem,
                                                  .draw = gather_draw,
                                                  .units = piece_count,
                                                  .unit_work = piece_work,
                                                  .expect = gather_expect,
                                                  .objection = gather_objection},
                               OperatorDefinition{.name = "fill",
                                                  .shape_parameters = kFill,
                                                  .problem = fill_problem,
                                                  .units = piece_count,
                                                  .unit_work = piece_work,
                                                  .expect = fill_expect,
                                                  .objection = fill_objection}};

}  // namespace

std::span<const OperatorDefinition> generic_move_definitions() {
  return kMoves;
}

}  // namespace tactus
