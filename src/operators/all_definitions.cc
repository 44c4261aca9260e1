#include <fmt/format.h>

#include "base/text.h"
#include "operators/definition.h"
#include "operators/definitions/generic/generic.h"
#include "operators/definitions/groups.h"

namespace tactus {
namespace {

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

std::vector<const OperatorDefinition*> generic_definitions() {
  std::vector<const OperatorDefinition*> all;
  for (const auto group : {generic_product_definitions(), generic_pair_definitions(),
                           generic_elementwise_definitions(), generic_softmax_definitions(),
                           generic_reduction_definitions(), generic_move_definitions(),
                           generic_attention_definitions()}) {
    for (const OperatorDefinition& definition : group) all.push_back(&definition);
  }
  return all;
}

Result<const OperatorDefinition*> find_definition(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& group : {operator_definitions(), generic_definitions()}) {
    for (const OperatorDefinition* definition : group) {
      if (definition->name == name) return definition;
      names.push_back(definition->name);
    }
  }
  const std::string_view near = nearest(name, names);
  return usage_error(fmt::format("{} is not an operator that can be computed here{}", name,
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

}  // namespace tactus
