#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "names/kernel_name.h"

namespace tactus {

/// What the time of a step goes to. The parts of a step add up to its length: each moment is given
/// to one of them. While the device works, that is the class of what runs (kernels before
/// collectives, collectives before copies); while it idles, what the thread did that launched the
/// next piece of work. Where the work of the device was not recorded, it is what the thread did
/// that launches.
enum class Part : std::uint8_t {
  // First the families of kernels, in the order of Family.
  kCopyToDevice = kFamilies,
  kCopyFromDevice,
  kCopyOnDevice,
  kFill,
  kOtherRanks,   ///< waiting for other ranks: in a collective, or for the turn of a stage
  kDeviceWait,   ///< a thread waits for the device, whose work was not recorded
  kLaunching,    ///< idle from here on: the host was inside a launch
  kHostCode,     ///< outside of any call that is known
  kWaitCall,     ///< inside a call that waits for the device, although the device idles
  kCopyCall,     ///< inside a call that copies
  kLock,         ///< waiting for another thread
  kDisk,         ///< reading or writing files
  kNotOnCore,    ///< ready to run, without a core
  kLaunchDelay,  ///< launched, but not started yet
  kUnknownIdle,  ///< the host was not recorded
};
inline constexpr std::size_t kParts = static_cast<std::size_t>(Part::kUnknownIdle) + 1;

constexpr Part part_of(Family family) {
  return static_cast<Part>(family);
}
constexpr bool is_kernel_part(Part part) {
  return static_cast<std::size_t>(part) < kFamilies;
}
/// Kernels that compute: a collective mostly waits.
constexpr bool is_compute_part(Part part) {
  return is_kernel_part(part) && part != part_of(Family::kCollective);
}
constexpr bool is_copy_part(Part part) {
  return part == Part::kCopyToDevice || part == Part::kCopyFromDevice;
}
constexpr bool is_idle_part(Part part) {
  return part >= Part::kLaunching;
}
/// Idle because the host was busy or had no core; not because it waited for the device.
constexpr bool is_host_part(Part part) {
  return is_idle_part(part) && part != Part::kLaunchDelay && part != Part::kWaitCall;
}

/// "gemm", "copies to the device", "idle: host code"
std::string_view part_name(Part part);

/// Work that may run beside the parts, so it need not show in the length of a step.
enum class Effort : std::uint8_t {
  kLaunchCalls,
  kWaitCalls,
  kCopyCalls,
  kKernels,
  kCopiesToDevice,
  kCopiesFromDevice,
  kCollectives,
};
inline constexpr std::size_t kEfforts = 7;
/// "launch calls"
std::string_view effort_name(Effort effort);

}  // namespace tactus
