#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/device/gpu_clocks.h"
#include "tactus/operator.h"

namespace tactus {

/// What a call came to: the number the kernel returned, or an error of the device.
struct CallOutcome {
  int code = 0;
  std::string error;  ///< of the device: "an illegal memory access was encountered"
};

/// What the shortest of all kernels takes, and how far the clock may be off.
struct ClockFloor {
  double ns = 0;
  double noise_ns = 0;
};

/// Where kernels run and their tensors live. All calls are made by one thread.
class Device {
 public:
  virtual ~Device() = default;

  virtual tactus_device kind() const = 0;
  virtual std::string name() const = 0;
  virtual std::size_t cache_bytes() const = 0;  ///< last-level cache
  virtual std::size_t free_bytes() const = 0;   ///< memory that can be allocated now

  /// Aligned to 256 bytes; freed with the device or by release().
  virtual Result<void*> allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual Status copy_in(void* to, const void* from, std::size_t bytes) = 0;
  virtual Status copy_out(void* to, const void* from, std::size_t bytes) = 0;
  virtual Status copy_within(void* to, const void* from, std::size_t bytes) = 0;

  /// Fills in what the device gives to a call: stream, threads.
  virtual void prepare(tactus_call& call) = 0;
  /// Runs and waits.
  virtual CallOutcome run(const tactus_entry& entry, const tactus_call& call) = 0;
  /// Runs each call once, in order, with cold caches, and adds its time [ns].
  virtual CallOutcome time(const tactus_entry& entry, std::span<const tactus_call* const> calls,
                           std::vector<double>& samples_ns) = 0;
  /// Waits until threads that earlier calls may have left behind are done, but not for long.
  virtual void settle() = 0;
  /// What an empty kernel takes under the same clock.
  virtual ClockFloor launch_floor() = 0;
  /// What a kernel takes in which every multiprocessor reads and writes 4 KB of cold memory;
  /// nothing where that is not asked.
  virtual std::optional<double> touch_floor_ns() { return std::nullopt; }
  /// What a plain copy takes that moves so many bytes in all, half of them in and half out; nothing
  /// where that is not asked or there is no memory for it.
  virtual std::optional<double> copy_ns(std::size_t) { return std::nullopt; }
  virtual ClockReading clocks() { return {}; }
  /// What else is in the times that were taken, in words; empty if nothing.
  virtual std::string caveat() const { return {}; }
};

std::unique_ptr<Device> make_cpu_device(unsigned threads);

/// A CUDA device; an error says what is missing (the library that speaks CUDA, a driver, a GPU).
Result<std::unique_ptr<Device>> make_cuda_device(int ordinal);

}  // namespace tactus
