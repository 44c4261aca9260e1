#include "measure/parts.h"

namespace tactus {

std::string_view part_name(Part part) {
  switch (part) {
    case Part::kCopyToDevice: return "copies to the device";
    case Part::kCopyFromDevice: return "copies from the device";
    case Part::kCopyOnDevice: return "copies on the device";
    case Part::kFill: return "fills";
    case Part::kOtherRanks: return "waiting for other ranks";
    case Part::kDeviceWait: return "waiting for the device";
    case Part::kLaunching: return "idle: launching";
    case Part::kHostCode: return "idle: host code";
    case Part::kWaitCall: return "idle: inside a call that waits";
    case Part::kCopyCall: return "idle: inside a call that copies";
    case Part::kLock: return "idle: waiting for a lock";
    case Part::kDisk: return "idle: reading or writing files";
    case Part::kNotOnCore: return "idle: no core for the host";
    case Part::kLaunchDelay: return "idle: launched, not started";
    case Part::kUnknownIdle: return "idle";
    default: return family_name(static_cast<Family>(part));
  }
}

std::string_view effort_name(Effort effort) {
  static constexpr std::array<std::string_view, kEfforts> kNames = {
      "launch calls",         "calls that wait",        "calls that copy", "kernels",
      "copies to the device", "copies from the device", "collectives"};
  return kNames[static_cast<std::size_t>(effort)];
}

}  // namespace tactus
