#pragma once

#include "run/run.h"

namespace tactus::edit_run {

/// Added to the numbers of the recording, so that nothing equal is left. Devices keep theirs.
inline constexpr std::int64_t kPidsApart = 54'321;
inline constexpr std::int64_t kStreamsApart = 100;
inline constexpr std::int64_t kCorrelationsApart = 1'000'003;

/// Other pids, tids and streams. Call resolve_identity afterwards.
void change_ids(Run& run);

/// What is added to an argument that is an id; 0 for other arguments.
std::int64_t id_shift(std::string_view key);

}  // namespace tactus::edit_run
