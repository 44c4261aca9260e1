#pragma once

#include <cstdint>

#include "hardware/profile.h"

namespace tactus {

/// What recordings tell about a device whose name is missing; drivers in containers do not always
/// give it.
struct DeviceFacts {
  std::int64_t major = 0;  ///< of its compute capability; AMD: 9 for gfx942
  std::int64_t minor = 0;
  std::int64_t warp_size = 0;
  std::int64_t multiprocessors = 0;
  double memory_bytes = 0;
};

/// The built-in profile of the only product with these facts; null if there is none.
const HardwareProfile* hardware_of_facts(const DeviceFacts& facts);

}  // namespace tactus
