#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/device/gpu_clocks.h"
#include "bench/rooms/shared_memory.h"
#include "bench/timing/clocked_call.h"
#include "operators/refresh_plan.h"
#include "tactus/operator.h"

namespace tactus {

/// The result of a call: the return value of the kernel, or an error of the device.
struct CallOutcome {
  int code = 0;
  std::string error;  ///< of the device: "an illegal memory access was encountered"
};

/// The time of the shortest possible kernel, and the error of the clock.
struct ClockFloor {
  double ns = 0;
  double noise_ns = 0;
  double tail_ns = 0;  ///< of such a kernel, as in ClockedCall
};

/// The place where kernels run and tensors are stored. One thread makes all calls.
class TimedDevice {
 public:
  virtual ~TimedDevice() = default;

  virtual tactus_device kind() const = 0;
  virtual std::string name() const = 0;
  virtual std::size_t cache_bytes() const = 0;  ///< last-level cache
  virtual std::size_t free_bytes() const = 0;   ///< memory that can be allocated now

  /// Aligned to 256 bytes; freed with the device or by release().
  virtual Result<void*> allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// The same, shared with another process, which removes it from the caches before each call. No
  /// memory if the device cannot do that.
  virtual SharedBlock allocate_shared(std::size_t) { return {}; }
  virtual Status copy_in(void* to, const void* from, std::size_t bytes) = 0;
  virtual Status copy_out(void* to, const void* from, std::size_t bytes) = 0;

  /// For devices whose tensors only the worker can reach; each happens before the next call.
  virtual Status copy_within(void*, const void*, std::size_t) { return cannot(); }
  virtual Status set(void*, std::uint8_t, std::size_t) { return cannot(); }
  virtual Status refresh(const RefreshPlan&, const void* /*from*/, void* /*into*/) {
    return cannot();
  }
  /// Memory of the host that the device copies from and to fast.
  virtual Result<void*> allocate_on_host(std::size_t) { return cannot().error(); }

  /// Sets what the device gives to a call: stream, threads.
  virtual void prepare(tactus_call& call) = 0;
  /// Removes what a call uses from the caches.
  virtual void cool(const tactus_call&) {}
  /// Runs and waits.
  virtual CallOutcome run(const tactus_entry& entry, const tactus_call& call) = 0;
  /// Runs one call with cold caches.
  virtual CallOutcome clock(const tactus_entry& entry, const tactus_call& call,
                            ClockedCall& clocked) = 0;
  /// The same without the call; the caches are left as one would leave them.
  virtual CallOutcome clock_nothing(const tactus_call&, ClockedCall&) {
    return {.code = 0, .error = "not here"};
  }
  /// The time of an empty kernel under the same clock.
  virtual ClockFloor launch_floor() = 0;
  /// The time of a kernel in which every multiprocessor reads and writes 4 KB of cold memory;
  /// nothing if the device does not measure it.
  virtual std::optional<double> touch_floor_ns() { return std::nullopt; }
  /// The time of a plain copy that moves this many bytes in total, half in and half out; nothing if
  /// the device does not measure it or has no memory for it.
  virtual std::optional<double> copy_ns(std::size_t) { return std::nullopt; }
  virtual ClockReading clocks() { return {}; }
  /// What else the measured times contain, in words; empty if nothing.
  virtual std::string caveat() const { return {}; }

 protected:
  static Status cannot() { return broke_error("this device cannot do that"); }
};

std::unique_ptr<TimedDevice> make_cpu_device(unsigned threads);

/// A CUDA device; an error says what is missing (the driver library, a driver, a GPU).
Result<std::unique_ptr<TimedDevice>> make_cuda_device(int ordinal);

}  // namespace tactus
