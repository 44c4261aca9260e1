#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

using Symbols = std::span<const std::uint32_t>;

/// Symbols [first, end) in which each equals the symbol one period later.
struct PeriodicRun {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t period = 0;

  std::size_t size() const { return end - first; }
  std::size_t times() const { return size() / period; }
  /// Two periods, and more than chance gives: "aaaa" and "abcabc", but not "aa".
  bool is_long_enough() const { return size() >= period + (period > 3 ? period : 3); }
};

/// Appends the longest runs of a period in [begin, end), in order and without overlaps. Where there
/// are none, it looks at one symbol per period, so an absent period costs little.
void append_runs(Symbols symbols, std::size_t begin, std::size_t end, std::size_t period,
                 std::vector<PeriodicRun>& runs);

/// Extends a run, at most to `limit`, across strays: single symbols that differ while the symbols
/// around them continue the period.
void extend_right(Symbols symbols, std::size_t limit, PeriodicRun& run);
void extend_left(Symbols symbols, std::size_t limit, PeriodicRun& run);

/// The shortest period of a run: half of it if the second half equals the first.
std::size_t primitive_period(Symbols symbols, const PeriodicRun& run);

}  // namespace tactus
