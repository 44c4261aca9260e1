#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "edit_run/new_times.h"
#include "edit_run/steps.h"

namespace tactus::edit_run {

/// How much longer some of the steps take.
struct PartTruth {
  std::size_t steps = 0;
  double ratio = 1;       ///< geometric mean of new over old durations
  double mean_ratio = 1;  ///< mean new duration over mean old duration
};

/// The true effect of the edits, from the rows of the recording: no step is searched in the edited
/// run. A step lasts from its first device work to that of the next step, or to the end of its own
/// work before a pause. Only complete steps count, and the last one of each process does not.
struct Truth {
  /// "all", the phases that occur, and if there are several "rank 0", "rank 1" and so on.
  std::map<std::string, PartTruth> parts;
  std::optional<double> kernel_ratio;  ///< total time of the kernels of these steps
};

Truth find_truth(const Run& run, const Recording& recording, const Steps& steps,
                 const NewTimes& times);

}  // namespace tactus::edit_run
