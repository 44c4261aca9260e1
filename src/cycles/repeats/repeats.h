#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

/// A stretch of symbols that says the same thing several times in a row. Here and there a single
/// symbol may be another one (a kernel's variant); nothing is left out or put in.
struct Repeat {
  std::size_t first = 0;
  std::size_t period = 0;
  std::size_t times = 0;  ///< whole periods; at least 2

  std::size_t end() const { return first + period * times; }
  bool operator==(const Repeat&) const = default;
};

/// The repeats that explain most of a sequence, without overlaps, in order: the shortest period
/// that does it (a layer, not two layers), found without knowing any name. Linear in the length
/// of the sequence times a small constant.
std::vector<Repeat> find_repeats(std::span<const std::uint32_t> symbols);

}  // namespace tactus
