#include "bounds/costs/cost.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.h"
#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

std::array<std::span<const CostEntry>, 8> all_costs() {
  return {attention_costs(),    product_costs(),    moe_costs(),  row_costs(),
          quantisation_costs(), delta_rule_costs(), rope_costs(), generic_costs()};
}

const CostEntry* find_entry(std::string_view operator_name) {
  for (const std::span<const CostEntry> kind : all_costs()) {
    for (const CostEntry& entry : kind) {
      if (entry.formula.operator_name == operator_name) return &entry;
    }
  }
  return nullptr;
}

Error unknown_operator(std::string_view operator_name) {
  std::vector<std::string_view> names;
  for (const CostFormula& formula : cost_formulas()) names.push_back(formula.operator_name);
  const std::string_view near = nearest(operator_name, names);
  if (near.empty()) {
    return usage_error(fmt::format("no operator is called \"{}\"; there are {}", operator_name,
                                   fmt::join(names, ", ")));
  }
  return usage_error(
      fmt::format("no operator is called \"{}\"; did you mean {}?", operator_name, near));
}

/// Published work is charged to the operator's type: to the matrix units if they support it; fp32
/// to the vector units.
Work published_work(Operands operands, NumberType type, double flops) {
  const bool vector = type == NumberType::kFp32 || type == NumberType::kFp64;
  if (operands == Operands::kFp8 && type != NumberType::kFp8E5m2) type = NumberType::kFp8E4m3;
  return {vector && operands != Operands::kFp8 ? Engine::kVector : Engine::kTensor, type, flops};
}

Cost published_cost(const CostEntry& entry, Dimensions& dims) {
  const PublishedCost published = entry.catalogue(dims);
  Cost cost;
  if (entry.operands != Operands::kInteger && published.flops > 0) {
    cost.work = {published_work(entry.operands, dims.dtype(), published.flops)};
  }
  cost.read_bytes = published.read_bytes;
  cost.write_bytes = published.write_bytes;
  return cost;
}

}  // namespace

double Cost::flops() const {
  double sum = 0;
  for (const Work& part : work) sum += part.flops;
  return sum;
}

Result<Cost> cost_of(std::string_view operator_name, const Shape& shape, CostModel model) {
  const CostEntry* entry = find_entry(operator_name);
  if (!entry) return unknown_operator(operator_name);
  const bool published = model == CostModel::kCatalogue && entry->catalogue;
  if (entry->catalogue && entry->operands == Operands::kFloating &&
      is_integer(shape.parameters.dtype)) {
    return input_error(fmt::format("{} is not computed in {}", operator_name,
                                   number_type_name(shape.parameters.dtype)));
  }
  Dimensions dims(operator_name, shape);
  Cost cost = published ? published_cost(*entry, dims) : entry->strict(dims);
  if (std::optional<Error> error = dims.error()) return *std::move(error);
  if (dims.empty()) return Cost{};
  if (!std::isfinite(cost.flops()) || !std::isfinite(cost.bytes())) {
    return input_error(fmt::format("{}: the shape is too large to count", operator_name));
  }
  std::erase_if(cost.work, [](const Work& part) { return part.flops <= 0; });
  return cost;
}

std::span<const CostFormula> cost_formulas() {
  static const std::vector<CostFormula> formulas = [] {
    std::vector<CostFormula> all;
    for (const std::span<const CostEntry> kind : all_costs()) {
      for (const CostEntry& entry : kind) all.push_back(entry.formula);
    }
    return all;
  }();
  return formulas;
}

}  // namespace tactus
