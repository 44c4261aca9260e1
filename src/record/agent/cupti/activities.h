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

/// CUPTI's record of the call inside is given the name "the next call of this thread".
class ActivityScope {
 public:
  explicit ActivityScope(const ThreadState& thread) {
    // With it comes what was found of CUPTI.
    if (activities_are_on.load(std::memory_order_acquire) && !thread.is_shared) [[unlikely]]
      begin(thread);
  }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;
  ~ActivityScope() {
    if (is_open_) [[unlikely]]
      end();
  }

 private:
  void begin(const ThreadState& thread);
  static void end();
  bool is_open_ = false;
};

}  // namespace tactus::agent
