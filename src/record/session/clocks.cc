#include "record/session/clocks.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "wire/ticks.h"

namespace tactus::record {
namespace {

constexpr std::size_t kMostPoints = 2000;
/// Records cannot be that much older than the recording, or newer than now.
constexpr double kFarAway = 60e9;  // [ns]

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

TickClock::Point read_both(std::int64_t origin_monotonic_ns) {
  TickClock::Point best;
  std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = wire::ticks();
    const std::int64_t time = read_clock(CLOCK_MONOTONIC);
    const std::uint64_t after = wire::ticks();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {.ticks = before + narrowest / 2, .time_ns = time - origin_monotonic_ns};
  }
  return best;
}

}  // namespace

TickClock::TickClock()
    : origin_ns_(read_clock(CLOCK_REALTIME)), origin_monotonic_ns_(read_clock(CLOCK_MONOTONIC)) {
  // A first slope; every later point improves it.
  points_.push_back(read_both(origin_monotonic_ns_));
  const timespec pause{.tv_sec = 0, .tv_nsec = 5'000'000};
  nanosleep(&pause, nullptr);
  points_.push_back(read_both(origin_monotonic_ns_));
}

void TickClock::sample() {
  const Point now = read_both(origin_monotonic_ns_);
  if (now.ticks <= points_.back().ticks) return;
  points_.push_back(now);
  if (points_.size() > kMostPoints) points_.pop_front();
}

double TickClock::ns_per_tick() const {
  const Point& first = points_.front();
  const Point& last = points_.back();
  return static_cast<double>(last.time_ns - first.time_ns) /
         static_cast<double>(last.ticks - first.ticks);
}

std::optional<std::int64_t> TickClock::to_ns(std::uint64_t ticks) const {
  // The two points around it, or the two nearest.
  auto next = std::lower_bound(points_.begin(), points_.end(), ticks,
                               [](const Point& point, std::uint64_t t) { return point.ticks < t; });
  if (next == points_.begin()) ++next;
  const bool is_outside = next == points_.end();
  if (is_outside) --next;
  const Point& from = *(next - 1);
  const double passed = static_cast<double>(static_cast<std::int64_t>(ticks - from.ticks));
  const double slope = is_outside || from.ticks > ticks
                           ? ns_per_tick()
                           : static_cast<double>(next->time_ns - from.time_ns) /
                                 static_cast<double>(next->ticks - from.ticks);
  const double offset = passed * slope;
  const double time = static_cast<double>(from.time_ns) + offset;
  if (!(time > -kFarAway && time < static_cast<double>(points_.back().time_ns) + kFarAway)) {
    return std::nullopt;
  }
  return from.time_ns + static_cast<std::int64_t>(std::llround(offset));
}

std::int64_t TickClock::duration_ns(std::uint64_t ticks) const {
  constexpr double kLongest = 1e17;
  const double time = static_cast<double>(ticks) * ns_per_tick();
  return time < kLongest ? std::llround(time) : 0;
}

void GpuClock::add(std::int64_t gpu_ns, std::int64_t not_before_ns, std::int64_t not_after_ns) {
  if (since_ && not_after_ns > *since_) {
    const auto loose =
        static_cast<std::int64_t>(kDrift * static_cast<double>(not_after_ns - *since_)) + 1;
    low_ -= loose;
    high_ += loose;
  }
  since_ = std::max(since_.value_or(not_after_ns), not_after_ns);
  low_ = std::max(low_, not_before_ns - gpu_ns);
  high_ = std::min(high_, not_after_ns - gpu_ns);
  // Bounds that contradict each other: the clock was set anew, or the GPU's clock drifts more than
  // it should.
  if (low_ > high_) {
    low_ = not_before_ns - gpu_ns;
    high_ = std::max(low_, not_after_ns - gpu_ns);
  }
}

std::int64_t GpuClock::to_ns(std::int64_t gpu_ns) const {
  return gpu_ns + low_ + (high_ - low_) / 2;
}

std::int64_t GpuClock::residual_ns() const {
  return (high_ - low_) / 2;
}

}  // namespace tactus::record
