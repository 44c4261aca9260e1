#include "catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace tactus {
namespace {

std::optional<std::int64_t> as_number(std::string_view id) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> ShapeParameters::find(std::string_view name) const {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return std::nullopt;
}

bool shape_id_before(std::string_view a, std::string_view b) {
  const std::optional<std::int64_t> x = as_number(a);
  const std::optional<std::int64_t> y = as_number(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

Result<const Operator*> find_operator(const Catalogue& catalogue, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Operator& op : catalogue.operators) {
    if (op.name == name || (!op.id.empty() && op.id == name)) return &op;
    names.push_back(op.name);
  }
  const std::string_view near = nearest(name, names);
  const std::string hint = near.empty() ? std::string() : fmt::format("; did you mean {}?", near);
  return usage_error(
      fmt::format("no operator {} in the catalogue{} (`tactus operators` lists them)", name, hint));
}

Result<const Shape*> find_shape(const Operator& op, std::string_view id) {
  std::string known;
  std::vector<std::string_view> ids;
  for (const Shape& shape : op.shapes) {
    if (shape.id == id) return &shape;
    ids.push_back(shape.id);
  }
  std::sort(ids.begin(), ids.end(), shape_id_before);
  return usage_error(
      fmt::format("{} has no shape {}; it has {}", op.name, id, fmt::join(ids, ", ")));
}

}  // namespace tactus
