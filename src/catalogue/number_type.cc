#include "catalogue/number_type.h"

#include <array>

namespace tactus {
namespace {

struct NamedType {
  std::string_view name;
  double bytes;
};

constexpr std::array<NamedType, kNumberTypes> kNamedTypes = {{
    {"fp64", 8},
    {"fp32", 4},
    {"tf32", 4},
    {"bf16", 2},
    {"fp16", 2},
    {"fp8_e4m3", 1},
    {"fp8_e4m3fnuz", 1},
    {"fp8_e5m2", 1},
    {"fp4_e2m1", 0.5},
    {"int64", 8},
    {"int32", 4},
    {"int16", 2},
    {"int8", 1},
    {"bool", 1},
}};

}  // namespace

std::string_view number_type_name(NumberType type) {
  return kNamedTypes[static_cast<std::size_t>(type)].name;
}

std::optional<NumberType> number_type_of(std::string_view name) {
  for (std::size_t i = 0; i < kNamedTypes.size(); ++i) {
    if (kNamedTypes[i].name == name) return static_cast<NumberType>(i);
  }
  return std::nullopt;
}

double bytes_of(NumberType type) {
  return kNamedTypes[static_cast<std::size_t>(type)].bytes;
}

bool is_integer(NumberType type) {
  return type >= NumberType::kInt64;
}

}  // namespace tactus
