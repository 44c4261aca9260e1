#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

namespace tactus::record {

/// Maps ticks of records to nanoseconds since the recording began, by points at which both clocks
/// were read.
class TickClock {
 public:
  struct Point {
    std::uint64_t ticks = 0;
    std::int64_t time_ns = 0;
  };

  TickClock();
  /// For tests.
  explicit TickClock(std::deque<Point> points) : points_(std::move(points)) {}

  /// Reads both clocks.
  void sample();
  /// Nothing if the time is far outside of the recording.
  std::optional<std::int64_t> to_ns(std::uint64_t ticks) const;
  std::int64_t duration_ns(std::uint64_t ticks) const;
  std::int64_t latest_ns() const { return points_.back().time_ns; }
  /// A time of CLOCK_MONOTONIC.
  std::int64_t from_monotonic(std::int64_t ns) const { return ns - origin_monotonic_ns_; }
  /// When the recording began, in ns since the epoch.
  std::int64_t origin_ns() const { return origin_ns_; }
  /// The same in CLOCK_MONOTONIC.
  std::int64_t origin_monotonic_ns() const { return origin_monotonic_ns_; }

 private:
  double ns_per_tick() const;

  std::deque<Point> points_;
  std::int64_t origin_ns_ = 0;
  std::int64_t origin_monotonic_ns_ = 0;
};

/// Where the clock of a GPU is against that of the recording. An event cannot have happened before
/// the host asked for it, nor after the host saw that it was done; many such bounds leave little
/// room.
class GpuClock {
 public:
  /// An event that has `gpu_ns` on the GPU's clock happened between two times of the recording.
  void add(std::int64_t gpu_ns, std::int64_t not_before_ns, std::int64_t not_after_ns);
  std::int64_t to_ns(std::int64_t gpu_ns) const;
  /// How far off it can be.
  std::int64_t residual_ns() const;

 private:
  /// Clocks drift apart by less than this; older bounds are loosened by it.
  static constexpr double kDrift = 50e-6;

  std::int64_t low_ = std::numeric_limits<std::int64_t>::min() / 4;
  std::int64_t high_ = std::numeric_limits<std::int64_t>::max() / 4;
  std::optional<std::int64_t> since_;
};

}  // namespace tactus::record
