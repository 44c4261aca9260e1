#include <array>
#include <cmath>
#include <numbers>

#include "operators/definitions/generic/generic.h"
#include "operators/definitions/generic/pieces.h"
#include "operators/number_formats.h"
#include "operators/slack.h"
#include "operators/uncertain.h"

namespace tactus {
namespace {

// silu, gelu: a function of each number.

Problem function_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::vector<std::int64_t> all = {problem.at("elements")};
  problem.inputs = {{"x", shape.dtype, all, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, all}};
  return problem;
}

void function_draw(const Problem&, const HostTensors& tensors, Random& random) {
  draw_uneven(tensors.input("x"), random);
}

/// A gate below the normal numbers of fp32 may be 0.
double vanished_gate(double x) {
  return std::fabs(x) * 0x1p-126;
}

void plain_silu_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                       Expected& into) {
  expect_piece(problem, unit, into, [&](std::int64_t i) {
    const double x = before.input("x").get(i);
    const Uncertain result = silu({x, 0});
    return Uncertain{result.value, result.slack + vanished_gate(x)};
  });
}

/// x / 2 (1 + step(x)), where the step goes from -1 to 1: the sum loses what 1 loses.
Uncertain gated_half(double x, double one_and_step, double roundings) {
  const double value = x / 2 * one_and_step;
  return {value, fp32_slack(value) + fp32_slack(x / 2, roundings)};
}

void gelu_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  expect_piece(problem, unit, into, [&](std::int64_t i) {
    const double x = before.input("x").get(i);
    return gated_half(x, std::erfc(-x / std::numbers::sqrt2), 8);
  });
}

void gelu_tanh_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                      Expected& into) {
  expect_piece(problem, unit, into, [&](std::int64_t i) {
    const double x = before.input("x").get(i);
    const double inner = std::sqrt(2) * std::numbers::inv_sqrtpi * (x + 0.044715 * x * x * x);
    // 1 + tanh(u) is 2 / (1 + e^-2u), also where tanh(u) is nearly -1.
    return gated_half(x, 2 / (1 + std::exp(-2 * inner)), 12);
  });
}

// copy, cast: the same numbers, in the same or another type.

std::string copy_objection(const ShapeParameters& shape) {
  const std::int64_t read = *shape.find("read_bytes");
  if (shape.find("write_bytes").value_or(read) != read) {
    return "as many bytes must be written as are read (another type: cast)";
  }
  const std::string objection = shape.dtype == NumberType::kFp8E4m3 ? "" : needs_floating(shape);
  if (!objection.empty()) return objection;
  const auto width = static_cast<std::int64_t>(bytes_of(shape.dtype));
  return read % width == 0 ? "" : "read_bytes must be whole numbers of the type";
}

Problem copy_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const auto width = static_cast<std::int64_t>(bytes_of(shape.dtype));
  const std::vector<std::int64_t> all = {problem.at("read_bytes") / width};
  problem.inputs = {{"x", shape.dtype, all, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, all}};
  return problem;
}

/// A shape has one type, that of the result; the other follows from its size.
std::optional<NumberType> cast_source(const ShapeParameters& shape) {
  switch (*shape.find("from_bytes")) {
    case 4: return NumberType::kFp32;
    case 2: return shape.dtype == NumberType::kBf16 ? NumberType::kFp16 : NumberType::kBf16;
    case 1: return NumberType::kFp8E4m3;
    default: return std::nullopt;
  }
}

std::string cast_objection(const ShapeParameters& shape) {
  if (!cast_source(shape)) return "from_bytes must be 1, 2 or 4";
  if (cast_source(shape) == shape.dtype) return "both types are the same (that is copy)";
  return shape.dtype == NumberType::kFp8E4m3 ? "" : needs_floating(shape);
}

Problem cast_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::vector<std::int64_t> all = {problem.at("elements")};
  problem.inputs = {{"x", *cast_source(shape), all, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, all}};
  return problem;
}

void same_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  expect_piece(problem, unit, into, [&](std::int64_t i) {
    return Uncertain{before.input("x").get(i), 0};
  });
}

constexpr std::array<std::string_view, 1> kElements = {"elements"};
constexpr std::array<std::string_view, 1> kBytes = {"read_bytes"};
constexpr std::array<std::string_view, 2> kCast = {"elements", "from_bytes"};
constexpr std::array kGeluVariants = {OperatorVariant{"tanh", gelu_tanh_expect}};

constexpr OperatorDefinition of_elements(std::string_view name,
                                         decltype(plain_silu_expect)* expect) {
  return {.name = name,
          .shape_parameters = kElements,
          .problem = function_problem,
          .draw = function_draw,
          .units = piece_count,
          .unit_work = piece_work,
          .expect = expect,
          .objection = needs_floating};
}

OperatorDefinition gelu_definition() {
  OperatorDefinition gelu = of_elements("gelu", gelu_expect);
  gelu.variants = kGeluVariants;
  return gelu;
}

}  // namespace

std::span<const OperatorDefinition> generic_elementwise_definitions() {
  static const std::array kDefinitions = {of_elements("silu", plain_silu_expect), gelu_definition(),
                                          OperatorDefinition{.name = "copy",
                                                             .shape_parameters = kBytes,
                                                             .problem = copy_problem,
                                                             .draw = function_draw,
                                                             .units = piece_count,
                                                             .unit_work = piece_work,
                                                             .expect = same_expect,
                                                             .objection = copy_objection},
                                          OperatorDefinition{.name = "cast",
                                                             .shape_parameters = kCast,
                                                             .problem = cast_problem,
                                                             .draw = function_draw,
                                                             .units = piece_count,
                                                             .unit_work = piece_work,
                                                             .expect = same_expect,
                                                             .objection = cast_objection}};
  return kDefinitions;
}

}  // namespace tactus
