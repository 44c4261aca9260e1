#pragma once

#include <cstddef>
#include <string>

#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

struct CyclesViewOptions {
  bool json = false;
  std::size_t top = 0;    ///< cycles shown as text; 0 for all
  std::size_t width = 0;  ///< of the terminal; 0 for no limit
};

/// The cycles of a run as text. `run` is their run; its warnings go into the JSON.
std::string show_cycles(const Cycles& cycles, const Run& run, const CyclesViewOptions& options);

}  // namespace tactus
