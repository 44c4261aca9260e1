#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "standin/stream.h"

namespace standin {

/// A device, and at the same time its primary context.
struct Device {
  int number = 0;
  Stream* legacy_stream = nullptr;
  std::atomic<std::size_t> used_bytes = 0;
};

inline constexpr std::size_t kDeviceBytes = std::size_t{16} << 30;

/// Null if there is no such device, or cuInit was not called.
Device* find_device(int number);
/// That of the calling thread's context; null if it has none.
Device* current_device();

/// Is it in a range of cuMemAddressReserve?
bool is_virtual(std::uintptr_t address);

}  // namespace standin
