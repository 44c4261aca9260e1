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

/// "0 to 7, 9, big"
std::string list_of(const std::vector<std::string_view>& ids) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < ids.size(); first = ++last) {
    const auto follows = [&](std::size_t i) {
      const std::optional<std::int64_t> number = as_number(ids[i]);
      return number && as_number(ids[i - 1]) == *number - 1;
    };
    while (last + 1 < ids.size() && follows(last + 1)) ++last;
    if (last < first + 2) last = first;
    text += (text.empty() ? "" : ", ") + std::string(ids[first]);
    if (last > first) text += " to " + std::string(ids[last]);
  }
  return text;
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
  std::vector<std::string_view> ids;
  for (const Shape& shape : op.shapes) {
    if (shape.id == id) return &shape;
    ids.push_back(shape.id);
  }
  std::sort(ids.begin(), ids.end(), shape_id_before);
  return usage_error(fmt::format("{} has no shape {}; it has {}", op.name, id, list_of(ids)));
}

}  // namespace tactus
