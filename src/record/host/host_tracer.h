#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "record/host/host_events.h"
#include "record/host/host_program.h"

namespace tactus::record {

/// Events of the host tracer since the last time.
struct HostHarvest {
  std::vector<HostEvent> events;
  std::uint64_t lost = 0;          ///< so far: found no room in the kernel's ring, or here
  std::uint64_t damaged = 0;       ///< so far: made no sense
  std::uint64_t threads_lost = 0;  ///< so far: were too many to be traced
};

/// Traces what threads of some processes do on the host. A thread of its own empties the kernel's
/// ring.
class HostTracer {
 public:
  static Result<std::unique_ptr<HostTracer>> start(const HostProgram::Options& options);
  ~HostTracer();
  HostTracer(const HostTracer&) = delete;
  HostTracer& operator=(const HostTracer&) = delete;

  void watch_own_children(bool is_on) { program_.watch_own_children(is_on); }
  /// A process that runs, with all that it starts later.
  Status add_process(std::int64_t pid);
  /// Launches and waits of a process without the agent. How many calls are watched; 0 if it has not
  /// loaded libcuda. An error if it has, but they cannot be watched.
  Result<std::size_t> watch_driver(std::int64_t pid);
  HostHarvest take();
  /// No more events after those that `take` still gives.
  void stop();

 private:
  explicit HostTracer(HostProgram program);
  void run();
  void drain();

  HostProgram program_;
  std::vector<HostEvent> room_;  ///< of the thread
  std::mutex mutex_;
  std::condition_variable wakes_;
  HostHarvest harvest_;  ///< guarded
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace tactus::record
