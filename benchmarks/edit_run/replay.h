#pragma once

#include <cstdint>
#include <vector>

#include "edit_run/effects.h"
#include "edit_run/recording.h"
#include "edit_run/warp.h"

namespace tactus::edit_run {

/// When things happen after the edits.
struct Replayed {
  std::vector<std::int64_t> start_ns;  ///< by row of run.slices; kNotReplayed for other rows
  std::vector<std::int64_t> end_ns;    ///< likewise
  std::vector<Warp> warps;             ///< by loop: of its main thread, empty if it has none
};
inline constexpr std::int64_t kNotReplayed = INT64_MIN;

/// Runs the main threads and the devices again, in the order of the recording:
///
///   * A main thread does what it did, in the same order. Code between calls takes its time by the
///     factor of the step, launch calls by theirs, other calls as long as before.
///   * Device work starts after the work before it on its stream and after its launch. The one of
///     them that decided in the recording keeps its distance; the other one keeps a usual distance,
///     or its own if that was smaller. Work that waited for neither of them waited for work of
///     another stream.
///   * A call that waits returns as long after the work that it waited for as before.
///
/// Without an edit, all times are those of the recording.
Replayed replay(const Run& run, const Recording& recording, const Steps& steps,
                const Effects& effects);

}  // namespace tactus::edit_run
