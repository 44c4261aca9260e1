#include "operators/definition.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/nearest.h"
#include "operators/definitions/groups.h"

namespace tactus {
namespace {

/// A byte that makes NaN, or an id that cannot be, so that what was not written shows.
int poison(NumberType type) {
  return type == NumberType::kFp8E4m3Fnuz ? 0x80 : 0xff;
}

template <class Visit>
void each_definition(Visit visit) {
  for (const auto group :
       {norm_definitions(), quantisation_definitions(), elementwise_definitions(),
        rope_definitions(), routing_definitions(), product_definitions(), attention_definitions(),
        delta_rule_definitions()}) {
    for (const OperatorDefinition& definition : group) visit(definition);
  }
}

}  // namespace

std::vector<const OperatorDefinition*> operator_definitions() {
  std::vector<const OperatorDefinition*> all;
  each_definition([&](const OperatorDefinition& definition) { all.push_back(&definition); });
  return all;
}

Result<const OperatorDefinition*> find_definition(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OperatorDefinition* definition : operator_definitions()) {
    if (definition->name == name) return definition;
    names.push_back(definition->name);
  }
  const std::string_view near = nearest(name, names);
  return usage_error(fmt::format("{} is not an operator that can be computed here{}", name,
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

Result<Problem> make_problem(const OperatorDefinition& definition, const ShapeParameters& shape) {
  for (const std::string_view wanted : definition.shape_parameters) {
    const std::optional<std::int64_t> value = shape.find(wanted);
    if (!value || *value < 1) {
      return input_error(fmt::format("{} needs {} of at least 1", definition.name, wanted));
    }
  }
  Problem problem = definition.problem(shape);
  problem.operator_name = definition.name;
  problem.shape = shape;
  return problem;
}

void draw_tensors(const OperatorDefinition& definition, const Problem& problem,
                  const HostTensors& tensors, std::uint64_t seed, unsigned threads) {
  const auto draw = [&](const HostTensor& tensor) {
    ++seed;
    if (tensor.spec->draw == Draw::kNone || tensor.spec->draw == Draw::kOperator) {
      std::memset(tensor.data, poison(tensor.spec->dtype),
                  static_cast<std::size_t>(tensor.spec->bytes()));
    } else {
      fill(tensor, seed * 0x9e3779b97f4a7c15ull, threads);
    }
  };
  for (const HostTensor& tensor : tensors.inputs) draw(tensor);
  for (const HostTensor& tensor : tensors.outputs) draw(tensor);
  Random random(seed + 1);
  if (definition.draw != nullptr) definition.draw(problem, tensors, random);
}

}  // namespace tactus
