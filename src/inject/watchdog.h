#pragma once

#include <cstdint>

#include "base/file.h"
#include "base/result.h"

namespace tactus::inject {

/// A process of its own that continues a stopped process when the one that stopped it is gone, or
/// leaves it stopped for too long. It outlives signals to the terminal and the group.
class Watchdog {
 public:
  /// Starts it. Must be called while the process has one thread.
  static Result<Watchdog> start(std::int64_t pid);

  /// False if the watchdog is gone: then the target must not be stopped.
  bool will_stop() const;
  bool was_continued() const;
  /// The target, as a descriptor that no later process of the same number can take over.
  int target() const { return target_.fd(); }

 private:
  Watchdog(File target, File pipe) : target_(std::move(target)), pipe_(std::move(pipe)) {}

  File target_;
  File pipe_;
};

/// A stop lasts at most this long, then the watchdog ends it.
inline constexpr int kLongestStopMs = 1000;

}  // namespace tactus::inject
