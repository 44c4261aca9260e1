#pragma once

#include <cstdint>
#include <vector>

#include "edit_run/edits.h"
#include "edit_run/steps.h"
#include "run/run.h"

namespace tactus::edit_run {

/// What the edits do to the things of a run, before anything else has to move.
struct Effects {
  std::vector<double> work_factor;     ///< by row of run.slices: on the duration of device work
  std::vector<double> gap_factor;      ///< by step: on the time of host code between calls
  std::vector<std::int64_t> sleep_ns;  ///< by step: what the host sleeps before its first launch
  double gap_factor_outside = 1;       ///< before the first step
  double launch_factor = 1;            ///< on the duration of launch calls
};

/// An error if an edit has nothing to change: that is a typing error.
Result<Effects> effects_of(const Run& run, const Steps& steps, const Edits& edits);

}  // namespace tactus::edit_run
