#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "operators/problem.h"
#include "operators/random.h"

namespace tactus {

/// What an output must be from `first` on. A number is right if it is the rounding, to the type of
/// the output, of some number within `slack` of `value`: the value is computed in double as exactly
/// as the operator is defined, and the slack is what arithmetic in fp32 (or what the operator
/// allows: tensor cores, products of rounded numbers) can add up to. Integers have no slack.
struct ExpectedRun {
  std::uint32_t output = 0;  ///< index of problem.outputs
  std::int64_t first = 0;
  std::vector<double> values;
  std::vector<double> slack;
};

using Expected = std::vector<ExpectedRun>;

/// The operator with its roundings in other places, as kernels in production have them. Results of
/// this form are accepted, and say that they have it.
struct OperatorVariant {
  std::string_view name;  ///< "rounded_before_weight"
  void (*expect)(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) = nullptr;
};

/// Everything that Tactus knows about one operator: its tensors, its meaning, how to draw inputs.
/// The outputs are divided into units (a row, a head, a column of a state) that can be computed
/// alone, so that large shapes can be checked on some of them.
struct OperatorDefinition {
  std::string_view name;
  std::span<const std::string_view> shape_parameters;  ///< that a shape must have, each at least 1
  Problem (*problem)(const ShapeParameters& shape) = nullptr;
  /// Draws the tensors that are Draw::kOperator, after all others; may be null.
  void (*draw)(const Problem& problem, const HostTensors& tensors, Random& random) = nullptr;
  std::int64_t (*units)(const Problem& problem) = nullptr;
  /// Multiplications and additions of one unit, roughly: decides how many units are checked.
  double (*unit_work)(const Problem& problem) = nullptr;
  /// What the outputs of a unit must be. Outputs changed in place hold their old values in
  /// `before.outputs`.
  void (*expect)(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) = nullptr;
  std::span<const OperatorVariant> variants;  ///< besides `expect`
  /// A special rule for outputs with several right answers (ids of equal values): checks one unit
  /// of a candidate's output and says what is wrong, or nothing; may be null.
  std::string (*also)(const Problem& problem, const HostTensors& before, const HostTensors& after,
                      std::int64_t unit) = nullptr;
  /// Outputs that only `also` judges, as bits by index.
  std::uint32_t judged_by_also = 0;
  /// Outputs of which a part need not be written, as bits by index.
  std::uint32_t may_stay = 0;
  /// What is impossible about a shape that has all parameters (an odd width that is halved), or
  /// nothing; may be null.
  std::string (*objection)(const ShapeParameters& shape) = nullptr;
};

/// Of all operators of the catalogue.
std::vector<const OperatorDefinition*> operator_definitions();

/// Of operators that any model has, and that only traces and their catalogues name: gemm, softmax.
std::vector<const OperatorDefinition*> generic_definitions();

/// Of either kind; an error names the nearest.
Result<const OperatorDefinition*> find_definition(std::string_view name);

/// The problem of a shape; an error if a parameter is missing or impossible.
Result<Problem> make_problem(const OperatorDefinition& definition, const ShapeParameters& shape);

/// The byte that outputs are filled with, so that unwritten ones show: NaN, or an impossible id.
int poison_byte(NumberType type);

/// Draws all inputs (and outputs that are changed in place), poisons the other outputs.
void draw_tensors(const OperatorDefinition& definition, const Problem& problem,
                  const HostTensors& tensors, std::uint64_t seed, unsigned threads);

}  // namespace tactus
