#pragma once

#include <algorithm>
#include <cstdint>

namespace tactus::gate {

/// Keeps a thread that others wake within a share of a core, however often they do. What it did not
/// use in the last tenth of a second it may use at once, so that only a lasting storm slows it
/// down.
class CpuBudget {
 public:
  explicit CpuBudget(double share) : share_(share), left_ns_(share * kMemoryNs) {}

  /// At `now_ns`, the thread has used `used_ns` of a core in all: how long it must not be woken.
  std::int64_t nap_ns(std::int64_t now_ns, std::int64_t used_ns) {
    if (last_ns_ != 0) {
      left_ns_ += share_ * static_cast<double>(now_ns - last_ns_) -
                  static_cast<double>(used_ns - last_used_ns_);
    }
    last_ns_ = now_ns;
    last_used_ns_ = used_ns;
    // One decision that took long, a page from disk, is not paid for with a long sleep.
    left_ns_ = std::clamp(left_ns_, -share_ * kLongestNapNs, share_ * kMemoryNs);
    return left_ns_ >= 0 ? 0 : static_cast<std::int64_t>(-left_ns_ / share_);
  }

 private:
  static constexpr double kLongestNapNs = 5e6;
  static constexpr double kMemoryNs = 1e8;

  double share_;
  double left_ns_;  ///< of a core
  std::int64_t last_ns_ = 0;
  std::int64_t last_used_ns_ = 0;
};

}  // namespace tactus::gate
