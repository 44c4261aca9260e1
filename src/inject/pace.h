#pragma once

#include <cstdint>
#include <functional>

#include "inject/request.h"

namespace tactus::inject {

/// CLOCK_MONOTONIC.
std::int64_t monotonic_ns();
/// ns since the epoch.
std::int64_t wall_clock_ns();
void sleep_until(std::int64_t monotonic_ns);

/// How strong an injection is now, and when it ends. Any thread may ask.
class Pace {
 public:
  Pace(const InjectRequest& request, std::int64_t begin_ns)
      : shape_(request.shape),
        intensity_(request.intensity),
        seconds_(request.seconds),
        begin_ns_(begin_ns) {}

  double level() const;
  bool is_over() const { return monotonic_ns() >= end_ns(); }
  std::int64_t end_ns() const { return begin_ns_ + static_cast<std::int64_t>(seconds_ * 1e9); }

  /// Works for a share of each slot of 10 ms and sleeps for the rest, until the end. `work` is
  /// given the time at which to return; false ends it.
  void in_slots(const std::function<bool(std::int64_t until_ns)>& work) const;

 private:
  Shape shape_;
  double intensity_;
  double seconds_;
  std::int64_t begin_ns_;
};

/// Holds a stream of bytes to a rate.
class RateLimit {
 public:
  /// `bytes_per_s` is for level 1.
  RateLimit(const Pace& pace, double bytes_per_s) : pace_(pace), bytes_per_s_(bytes_per_s) {}

  /// Sleeps as long as the bytes that were moved should have taken; also while the level is 0.
  void wait_after(std::uint64_t bytes);

 private:
  const Pace& pace_;
  double bytes_per_s_;
  std::int64_t next_ns_ = 0;
};

}  // namespace tactus::inject
