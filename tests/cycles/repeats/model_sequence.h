#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tactus::testing {

/// A sequence of kernels as a made-up model gives it: passes of a prologue, layers and an epilogue.
struct ModelSequence {
  std::vector<std::uint32_t> symbols;
  std::vector<std::size_t> layers_first;  ///< of each pass

  void add(const std::vector<std::uint32_t>& kernels, std::size_t times = 1) {
    for (std::size_t i = 0; i < times; ++i) {
      symbols.insert(symbols.end(), kernels.begin(), kernels.end());
    }
  }
  void add_pass(const std::vector<std::uint32_t>& prologue, const std::vector<std::uint32_t>& layer,
                std::size_t layers, const std::vector<std::uint32_t>& epilogue) {
    add(prologue);
    layers_first.push_back(symbols.size());
    add(layer, layers);
    add(epilogue);
  }
};

/// Symbols of a range, each as likely as the others.
inline std::vector<std::uint32_t> random_symbols(std::mt19937& random, std::size_t count,
                                                 std::uint32_t lowest, std::uint32_t highest) {
  std::uniform_int_distribution<std::uint32_t> symbol(lowest, highest);
  std::vector<std::uint32_t> symbols(count);
  for (std::uint32_t& s : symbols) s = symbol(random);
  return symbols;
}

/// Symbols first, first + 1, ...
inline std::vector<std::uint32_t> distinct_symbols(std::uint32_t first, std::size_t count) {
  std::vector<std::uint32_t> symbols(count);
  for (std::size_t i = 0; i < count; ++i) symbols[i] = first + static_cast<std::uint32_t>(i);
  return symbols;
}

}  // namespace tactus::testing
