#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cycles/cycles.h"
#include "explain/verdict.h"

namespace tactus {

/// Both sides of a comparison, measured.
struct PreparedSides {
  std::array<ComparedSide, 2> sides;
  /// Of each recording; none for patterns.
  std::array<std::vector<std::unique_ptr<Cycles>>, 2> cycles;
};

/// Which steps of traces are compared: those that start in a window, without the first of each
/// process.
struct WantedSteps {
  SliceFilter times;  ///< only its times count
  std::size_t warmup = 0;
};

/// Finds cycles, for traces, and measures both sides: the recordings of the normal and of the
/// abnormal one. Patterns are the processes of one recording. The runs must outlive the result.
Result<PreparedSides> prepare_sides(const std::array<std::vector<const Run*>, 2>& runs,
                                    const WantedSteps& wanted, unsigned threads);

}  // namespace tactus
