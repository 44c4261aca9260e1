#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cycles/cycles.h"
#include "cycles/phases/phase_summaries.h"
#include "run/run.h"

namespace tactus {

struct CyclesViewOptions {
  bool json = false;
  std::size_t top = 0;    ///< cycles shown as text; 0 for all
  std::size_t width = 0;  ///< of the terminal; 0 for no limit
};

/// The cycles of a run and what those of each phase come to as text. `run` is what they were found
/// in: its warnings go into the JSON.
std::string show_cycles(const Cycles& cycles, std::span<const PhaseSummary> phases, const Run& run,
                        const CyclesViewOptions& options);

}  // namespace tactus
