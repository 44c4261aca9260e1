#include "sources/nsys/database/args.h"

#include <algorithm>

namespace tactus::nsys {
namespace {

/// Real tables have a handful of shapes. A table that is made to have thousands loses arguments, so
/// it cannot use up the memory.
constexpr std::size_t kMostShapes = 64;

}  // namespace

RowArgs::RowArgs(Reading& reading, std::span<const ArgSpec> specs)
    : reading_(reading), specs_(specs.begin(), specs.end()) {
  CHECK(specs_.size() <= 64);
  for (const ArgSpec& spec : specs_) {
    keys_.push_back(reading.builder.intern(spec.key));
    if (spec.from != ArgFrom::kReader) continue;
    set_.resize(std::max(set_.size(), static_cast<std::size_t>(spec.index) + 1));
  }
}

void RowArgs::set(int index, std::int64_t raw) {
  set_[static_cast<std::size_t>(index)] = {true, raw};
}

void RowArgs::take(const TableRows& rows) {
  values_.clear();
  Presence present = 0;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    std::int64_t raw = 0;
    if (!read(specs_[i], rows, raw)) continue;
    present |= Presence{1} << i;
    values_.push_back(raw);
  }
  shape_ = shape_of(present);
  if (shape_.value == 0) values_.clear();
}

bool RowArgs::read(const ArgSpec& spec, const TableRows& rows, std::int64_t& raw) {
  switch (spec.from) {
    case ArgFrom::kColumn: {
      const std::optional<std::int64_t> number = rows.number(spec.index);
      raw = number.value_or(0);
      return number.has_value();
    }
    case ArgFrom::kNonZero: raw = rows.integer(spec.index); return raw != 0;
    case ArgFrom::kReal:
      if (rows.is_null(spec.index)) return false;
      raw = Decimal::from_double(rows.real(spec.index), reading_.builder.run().strings);
      return true;
    case ArgFrom::kText:
      if (rows.is_null(spec.index)) return false;
      raw = reading_.builder.intern_repaired(rows.text(spec.index)).value;
      return true;
    case ArgFrom::kName: {
      const StringId name = reading_.names.find(rows, spec.index);
      raw = name.value;
      return name.valid();
    }
    case ArgFrom::kReader: {
      const auto [is_set, value] =
          std::exchange(set_[static_cast<std::size_t>(spec.index)], {false, 0});
      raw = value;
      return is_set;
    }
  }
  return false;
}

ShapeId RowArgs::shape_of(Presence present) {
  for (const auto& [known, shape] : shapes_) {
    if (known == present) return shape;
  }
  if (shapes_.size() == kMostShapes) {
    reading_.builder.repair("too_many_argument_sets");
    return ShapeId(0);
  }
  ArgShape fields;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if ((present >> i & 1) != 0) fields.push_back({keys_[i], specs_[i].type});
  }
  shapes_.emplace_back(present, reading_.builder.shape(fields));
  return shapes_.back().second;
}

}  // namespace tactus::nsys
