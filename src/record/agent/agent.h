#pragma once

#include <atomic>
#include <cstdint>

#include "record/agent/driver.h"
#include "wire/segment.h"
#include "wire/ticks.h"

namespace tactus::agent {

struct ThreadState;

/// What the recorder wants; a page that says "record" until the agent has tried to start.
extern std::atomic<wire::Control*> control;
/// The memory that is shared with a recorder; null if there is none.
wire::Data* data();
/// The agent was loaded into a process that ran: calls do not come to it. Set before `start`.
extern bool has_no_hooks;
/// Makes that memory and tells the recorder. Once per process; false if it failed.
bool start();

std::uint64_t monotonic_ns();

extern constinit thread_local ThreadState* this_thread;
/// The child of a fork has one thread, and no state of it.
void forget_threads();
/// The state of this thread, with a ring; null if this call is not to be recorded.
ThreadState* begin_thread();

/// The state of this thread; null if nothing is recorded, or if a signal interrupted the agent.
inline ThreadState* recording_thread();

/// How often a module or a context was unloaded: what was remembered of functions and events is
/// void then.
extern std::atomic<std::uint32_t> modules_unloaded;
extern std::atomic<std::uint32_t> contexts_gone;
/// Captures that are under way in the process.
extern std::atomic<std::int32_t> captures;

}  // namespace tactus::agent

#include "record/agent/thread_state.h"

namespace tactus::agent {

inline ThreadState* recording_thread() {
  if (control.load(std::memory_order_relaxed)->recording.load(std::memory_order_relaxed) ==
      wire::kOff) [[unlikely]] {
    return nullptr;
  }
  ThreadState* thread = this_thread;
  if (thread == nullptr) [[unlikely]]
    return begin_thread();
  if (thread->is_busy) [[unlikely]] {
    thread->count_nested();
    return nullptr;
  }
  return thread;
}

}  // namespace tactus::agent
