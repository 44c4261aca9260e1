#pragma once

#include <atomic>
#include <chrono>

namespace tactus::sql {

/// When a query must end. Loops over blocks of rows look at it; others may ask it to stop.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  void start(double seconds) {
    is_over_ = false;
    was_stopped_ = false;
    const auto longest = std::chrono::hours(24 * 365);
    const std::chrono::duration<double> asked(seconds);
    end_ = Clock::now() + (asked < longest ? std::chrono::duration_cast<Clock::duration>(asked)
                                           : Clock::duration(longest));
  }
  bool is_over() {
    if (!is_over_ && Clock::now() >= end_) is_over_ = true;
    return is_over_;
  }
  /// Ends the time now. A signal handler may call it.
  void stop() {
    was_stopped_ = true;
    is_over_ = true;
  }
  bool was_stopped() const { return was_stopped_; }
  /// The same as is_over() without asking the clock.
  bool was_over() const { return is_over_; }

 private:
  Clock::time_point end_ = Clock::time_point::max();
  std::atomic<bool> is_over_{false};
  std::atomic<bool> was_stopped_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
};

}  // namespace tactus::sql
