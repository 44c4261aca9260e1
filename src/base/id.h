#pragma once

#include <compare>
#include <cstdint>

namespace tactus {

/// A 32-bit index that cannot be mistaken for another kind of index.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint64_t v) : value(static_cast<std::uint32_t>(v)) {}

  constexpr bool valid() const { return value != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace tactus
