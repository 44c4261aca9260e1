#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "measure/trace_work.h"

namespace tactus {

/// The calls of the thread of a process that launches most; null if none launches.
const std::vector<HostCall>* launching_thread(const Run& run, const HostCalls& calls,
                                              std::uint32_t process);

/// As StepParts, for recordings that have the calls of the host but not the work of the device:
/// what one thread did. While it waits for the device, the device is what takes the time.
class HostParts {
 public:
  explicit HostParts(const std::vector<HostCall>* calls) : calls_(calls) {}
  explicit operator bool() const { return calls_ != nullptr; }

  /// The parts of the next window, by Part. They add up to its length.
  std::array<double, kParts> next(std::int64_t start_ns, std::int64_t end_ns);

 private:
  const std::vector<HostCall>* calls_;
  std::size_t next_ = 0;  ///< the first call that ends behind the last window's start
};

}  // namespace tactus
