#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

/// A stretch of symbols that repeats several times in a row. A single symbol may differ here and
/// there (a kernel's variant); none is missing or added.
struct Repeat {
  std::size_t first = 0;
  std::size_t period = 0;
  std::size_t times = 0;  ///< whole periods; at least 2

  std::size_t end() const { return first + period * times; }
  bool operator==(const Repeat&) const = default;
};

/// The repeats that explain most of a sequence, without overlaps, in order: the shortest period
/// that does it (a layer, not two layers), found without knowing any name. The time is linear in
/// the length of the sequence, with a small constant.
std::vector<Repeat> find_repeats(std::span<const std::uint32_t> symbols);

}  // namespace tactus
