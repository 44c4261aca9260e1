#pragma once

#include <sys/types.h>

#include <vector>

namespace tactus {

/// The processes that this one is the parent of; none where the system does not list them.
std::vector<pid_t> child_processes();

/// From now on, processes whose parent ends become children of this one instead of running on where
/// nobody sees them.
void adopt_orphans();

/// Ends all children but those in `ours`, and what they leave behind in turn.
void end_other_children(const std::vector<pid_t>& ours);

}  // namespace tactus
