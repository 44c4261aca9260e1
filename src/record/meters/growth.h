#pragma once

#include <cstdint>
#include <optional>

#include "record/meters/meter.h"

namespace tactus::meters {

/// How much a total grew between two readings.
struct Grown {
  std::uint64_t by = 0;
  std::int64_t window_ns = 0;

  double per_second() const {
    return static_cast<double>(by) * 1e9 / static_cast<double>(window_ns);
  }
};

/// Remembers a total that only grows. Nothing for the first reading, and after a reset: a device
/// that came back counts from 0 again. A total of 32 bits that wrapped grew.
class Growth {
 public:
  std::optional<Grown> next(std::uint64_t total, const MeterTime& time) {
    const std::optional<std::uint64_t> before = last_;
    const std::int64_t window_ns = time.raw_ns - last_ns_;
    last_ = total;
    last_ns_ = time.raw_ns;
    if (!before || window_ns <= 0) return std::nullopt;
    if (total >= *before) return Grown{total - *before, window_ns};
    constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;
    const bool wrapped = *before < kWrap && *before >= kWrap / 4 * 3 && total < kWrap / 4;
    if (!wrapped) return std::nullopt;
    return Grown{total + kWrap - *before, window_ns};
  }
  void forget() { last_.reset(); }

 private:
  std::optional<std::uint64_t> last_;
  std::int64_t last_ns_ = 0;
};

}  // namespace tactus::meters
