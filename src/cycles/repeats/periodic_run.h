#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

using Symbols = std::span<const std::uint32_t>;

/// Symbols [first, end) in which each is the same as the one a period later.
struct PeriodicRun {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t period = 0;

  std::size_t size() const { return end - first; }
  std::size_t times() const { return size() / period; }
  /// Two periods, and more than chance gives: "aaaa" and "abcabc", but not "aa".
  bool is_long_enough() const { return size() >= period + (period > 3 ? period : 3); }
};

/// Appends the longest runs of a period in [begin, end), in order and without overlaps. Looks at
/// one symbol a period where there are none, so that a period that is not there costs little.
void append_runs(Symbols symbols, std::size_t begin, std::size_t end, std::size_t period,
                 std::vector<PeriodicRun>& runs);

/// Makes a run longer, at most to `limit`, over strays: single symbols that differ while those
/// around them go on as before.
void extend_right(Symbols symbols, std::size_t limit, PeriodicRun& run);
void extend_left(Symbols symbols, std::size_t limit, PeriodicRun& run);

/// The shortest period of a run: half of it where the second half says the same as the first.
std::size_t primitive_period(Symbols symbols, const PeriodicRun& run);

}  // namespace tactus
