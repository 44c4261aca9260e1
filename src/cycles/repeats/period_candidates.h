#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cycles/repeats/periodic_run.h"

namespace tactus {

/// Guesses which periods a piece of a sequence could have: the distances at which the same three
/// symbols come again. Three in a row are rare inside a layer even if its symbols are not, so the
/// distances are those of whole layers. A guess may be wrong: collisions only cost time.
class PeriodCandidates {
 public:
  PeriodCandidates(Symbols symbols, std::size_t shortest, std::size_t longest)
      : symbols_(symbols),
        shortest_(shortest),
        counts_(std::min(longest, symbols.size()) + 1, 0),
        seen_(symbols.size() <= kFewSymbols ? 0 : std::size_t{1} << kSlotBits) {}

  /// The most frequent distances in [begin, end), in ascending order. Pieces must come in the order
  /// of the sequence.
  const std::vector<std::size_t>& find(std::size_t begin, std::size_t end);

 private:
  static constexpr unsigned kSlotBits = 16;
  static constexpr std::size_t kCandidates = 32;
  static constexpr std::size_t kFewSymbols = 1024;

  /// One past the last place of three symbols, and one past the place before that; 0 is never.
  using Seen = std::array<std::size_t, 2>;

  void count(std::size_t distance);
  Seen& seen_at(std::size_t slot) { return seen_.empty() ? few_seen_[slot] : seen_[slot]; }

  Symbols symbols_;
  std::size_t shortest_;
  std::vector<std::uint32_t> counts_;               ///< by distance
  std::vector<Seen> seen_;                          ///< by hash of three symbols
  std::unordered_map<std::size_t, Seen> few_seen_;  ///< the same for few symbols: there may be very
                                                    ///< many short sequences
  std::vector<std::size_t> distances_;
  std::vector<std::size_t> found_;
};

}  // namespace tactus
