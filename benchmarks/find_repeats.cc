// Finds the repeats in generated sequences of kernels and checks the answer. Prints one JSON object
// a sequence. usage: find_repeats [MILLION_SYMBOLS]
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "cycles/repeats/repeats.h"

namespace {

using Sequence = std::vector<std::uint32_t>;

/// An engine's day: decode steps of 32 layers of 17 kernels, every 200th step a prefill.
Sequence serving(std::size_t length) {
  Sequence symbols;
  symbols.reserve(length + 1'000);
  for (std::size_t step = 0; symbols.size() < length; ++step) {
    const bool prefill = step % 200 == 0;
    for (std::uint32_t i = 0; i < 9; ++i) symbols.push_back(100 + i);
    for (std::uint32_t layer = 0; layer < 32; ++layer) {
      for (std::uint32_t i = 0; i < (prefill ? 14U : 17U); ++i) {
        symbols.push_back((prefill ? 40 : 0) + i % 12);
      }
    }
    for (std::uint32_t i = 0; i < 6; ++i) symbols.push_back(200 + i);
  }
  return symbols;
}

Sequence random_sequence(std::size_t length, std::uint32_t alphabet) {
  std::mt19937 random(1);
  Sequence symbols(length);
  for (std::uint32_t& symbol : symbols) symbol = static_cast<std::uint32_t>(random() % alphabet);
  return symbols;
}

Sequence thue_morse(std::size_t length) {
  Sequence symbols(length);
  for (std::size_t i = 0; i < length; ++i) symbols[i] = std::popcount(i) % 2;
  return symbols;
}

Sequence sawtooth(std::size_t length) {
  Sequence symbols;
  for (std::uint32_t tooth = 1; symbols.size() < length; ++tooth) {
    for (std::uint32_t i = 0; i < tooth; ++i) symbols.push_back(i);
  }
  return symbols;
}

/// The share of a sequence that its repeats explain; stops the program if they are not repeats.
double measure(std::string_view name, const Sequence& symbols) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<tactus::Repeat> repeats = tactus::find_repeats(symbols);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::size_t explained = 0;
  for (const tactus::Repeat& repeat : repeats) {
    if (repeat.end() > symbols.size() || repeat.times < 2) std::abort();
    explained += repeat.end() - repeat.first;
  }
  const double share = static_cast<double>(explained) / static_cast<double>(symbols.size());
  fmt::print(
      "{{\"sequence\": \"{}\", \"symbols\": {}, \"seconds\": {:.3f}, \"repeats\": {}, "
      "\"explained\": {:.4f}}}\n",
      name, symbols.size(), seconds.count(), repeats.size(), share);
  return share;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t length =
      1'000'000 * (argc > 1 ? std::strtoul(argv[1], nullptr, 10) : std::size_t{10});
  if (length == 0) return 2;
  const bool right = measure("serving", serving(length)) > 0.95;
  measure("all equal", Sequence(length, 7));
  measure("random of 2", random_sequence(length, 2));
  measure("random of 1000", random_sequence(length, 1'000));
  measure("random of any", random_sequence(length, 4'294'967'291U));
  measure("thue-morse", thue_morse(length));
  measure("growing sawtooth", sawtooth(length));
  return right ? 0 : 1;
}
