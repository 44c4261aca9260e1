#pragma once

#include <atomic>
#include <cstdint>

#include "record/agent/thread_state.h"

namespace tactus::agent {

/// True while CUPTI collects.
extern std::atomic<bool> activities_are_on;

/// Sees to it that what the recorder wants is done, by a thread of the agent's own that ends when
/// nothing is wanted.
void want_activities();
/// For a process whose calls do not come to the agent: waits for recorders on this thread, and does
/// what they want. Returns when the program ends.
void serve_recorders();
/// For the child of a fork, which has no such thread.
void forget_activities();

}  // namespace tactus::agent
