#include "bench/asked_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "operators/definition.h"

namespace tactus {
namespace {

constexpr std::string_view kType = "dtype";

std::set<std::string_view> known_parameters(const OperatorDefinition& definition,
                                            const Operator& op) {
  std::set<std::string_view> known(definition.shape_parameters.begin(),
                                   definition.shape_parameters.end());
  for (const Shape& shape : op.shapes) {
    for (const auto& [name, value] : shape.parameters.values) known.insert(name);
  }
  return known;
}

Result<std::int64_t> read_size(std::string_view name, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  return usage_error(fmt::format("--shape {}={}: should be a whole number", name, text));
}

/// The shape that a list of parameters describes.
Result<Shape> read_shape(const OperatorDefinition& definition, const Operator& op,
                         const std::vector<std::string>& parts) {
  const std::set<std::string_view> known = known_parameters(definition, op);
  Shape shape;
  shape.id = fmt::format("{}", fmt::join(parts, ","));
  shape.label = "as given";
  shape.parameters.dtype = op.dtype;
  for (const std::string& part : parts) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (name == kType) {
      const std::optional<NumberType> type = number_type_of(value);
      if (!type) return usage_error(fmt::format("--shape {}: is not a type", part));
      shape.parameters.dtype = *type;
      continue;
    }
    if (!known.contains(name)) {
      return usage_error(fmt::format("--shape {}: {} has no parameter {}; it has {}, {}", part,
                                     op.name, name, fmt::join(known, ", "), kType));
    }
    const Result<std::int64_t> size = read_size(name, value);
    if (!size) return size.error();
    shape.parameters.values.emplace_back(name, *size);
  }
  const Result<Problem> problem = make_problem(definition, shape.parameters);
  if (!problem) return usage_error(problem.error().message);
  return shape;
}

}  // namespace

void add_generic_operators(Catalogue& catalogue, std::span<const std::string> names) {
  Catalogue generic = generic_catalogue();
  const auto is_asked = [&](const Operator& op) {
    return std::find(names.begin(), names.end(), op.name) != names.end() &&
           !find_operator(catalogue, op.name);
  };
  std::erase_if(generic.operators, [&](const Operator& op) { return !is_asked(op); });
  if (generic.operators.empty()) return;
  const bool has_others = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return !find_operator(generic, name);
  });
  if (!has_others) {
    catalogue = std::move(generic);
    return;
  }
  for (Operator& op : generic.operators) {
    op.importance = 0;
    catalogue.operators.push_back(std::move(op));
  }
}

Result<Catalogue> asked_catalogue(Catalogue catalogue, BenchQuestion& question) {
  add_generic_operators(catalogue, question.operators);
  const auto is_parameter = [](const std::string& part) {
    return part.find('=') != std::string::npos;
  };
  if (std::none_of(question.shapes.begin(), question.shapes.end(), is_parameter)) return catalogue;
  if (question.operators.size() != 1) {
    return usage_error(fmt::format("--shape {}: name one operator, too", question.shapes.front()));
  }
  const Result<const Operator*> asked = find_operator(catalogue, question.operators.front());
  if (!asked) return asked.error();
  const Result<const OperatorDefinition*> definition = find_definition((*asked)->name);
  if (!definition) return definition.error();
  Result<Shape> shape = read_shape(**definition, **asked, question.shapes);
  if (!shape) return shape.error();
  question.shapes = {shape->id};
  for (Operator& op : catalogue.operators) {
    if (&op == *asked) op.shapes = {*shape};
  }
  return catalogue;
}

}  // namespace tactus
