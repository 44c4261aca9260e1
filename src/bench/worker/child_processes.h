#pragma once

#include <sys/types.h>

#include <vector>

namespace tactus {

/// The children of this process; empty if the system does not list them.
std::vector<pid_t> child_processes();
std::vector<pid_t> child_processes(pid_t parent);

/// After this call, processes whose parent ends become children of this one, so they cannot
/// continue unseen.
void adopt_orphans();

/// Ends all children except `ours`, and all their descendants.
void end_other_children(const std::vector<pid_t>& ours);

}  // namespace tactus
