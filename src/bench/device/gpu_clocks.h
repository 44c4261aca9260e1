#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tactus {

/// The clocks of a GPU at one moment. Empty if they cannot be read.
struct ClockReading {
  std::optional<unsigned> sm_mhz;
  std::uint64_t reasons = 0;  ///< NVML's bits: why clocks are lower than possible
};

/// True if one of these reasons makes kernels slower than the GPU allows: heat or power. Idle,
/// chosen clocks, and a shared boost do not count.
bool clocks_lowered(std::uint64_t reasons);

/// The reasons for lower clocks in words: "power cap, heat".
std::string lowered_words(std::uint64_t reasons);

/// The part of NVML that reads clocks. Nothing is ever set. Names and types are those of NVML.
struct Nvml {
  using Device = void*;

  int (*nvmlInit_v2)() = nullptr;
  int (*nvmlDeviceGetHandleByPciBusId_v2)(const char* bus_id, Device* device) = nullptr;
  int (*nvmlDeviceGetClockInfo)(Device device, int clock, unsigned* mhz) = nullptr;
  /// nvmlDeviceGetCurrentClocksEventReasons, or ...ThrottleReasons of older drivers.
  int (*reasons)(Device device, unsigned long long* reasons) = nullptr;
};

/// Nothing if there is no NVML, or if it lacks one of these functions.
std::optional<Nvml> load_nvml();

/// The clocks of one GPU.
class GpuClocks {
 public:
  /// By its place on the bus ("0000:17:00.0"): ordinals of CUDA and NVML differ if
  /// CUDA_VISIBLE_DEVICES is set.
  static std::optional<GpuClocks> open(const Nvml& nvml, const char* bus_id);

  ClockReading read() const;

 private:
  GpuClocks(const Nvml& nvml, Nvml::Device device) : nvml_(nvml), device_(device) {}

  Nvml nvml_;
  Nvml::Device device_;
};

}  // namespace tactus
