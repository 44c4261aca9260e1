#pragma once

#include <cstdint>
#include <vector>

#include "edit_run/effects.h"
#include "edit_run/recording.h"

namespace tactus::edit_run {

/// The host sleeps before the next slice of its main thread that begins at this time or later.
struct Sleep {
  std::int64_t at_ns = 0;
  std::int64_t sleep_ns = 0;
};

/// By loop, in the order of time: before the first launch of each step that stalls, outside the
/// framework op that contains the launch.
std::vector<std::vector<Sleep>> find_sleeps(const Run& run, const Recording& recording,
                                            const Steps& steps, const Effects& effects);

}  // namespace tactus::edit_run
