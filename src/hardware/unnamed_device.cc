#include "hardware/unnamed_device.h"

namespace tactus {
namespace {

struct KnownDevice {
  std::string_view profile;
  DeviceFacts facts;
};

// Only devices that nothing else on the market equals in all facts. MI325X has the multiprocessors
// of MI300X and more memory, MI308X its memory and fewer multiprocessors.
constexpr KnownDevice kDevices[] = {
    {"MI300X",
     {.major = 9, .minor = 4, .warp_size = 64, .multiprocessors = 304, .memory_bytes = 206.2e9}},
};
/// A driver keeps some memory for itself.
constexpr double kSmallestShare = 0.95;

}  // namespace

const HardwareProfile* hardware_of_facts(const DeviceFacts& facts) {
  for (const KnownDevice& known : kDevices) {
    const bool fits = facts.major == known.facts.major && facts.minor == known.facts.minor &&
                      facts.warp_size == known.facts.warp_size &&
                      facts.multiprocessors == known.facts.multiprocessors &&
                      facts.memory_bytes <= known.facts.memory_bytes &&
                      facts.memory_bytes >= kSmallestShare * known.facts.memory_bytes;
    if (!fits) continue;
    const Result<const HardwareProfile*> profile = find_hardware(known.profile);
    return profile ? *profile : nullptr;
  }
  return nullptr;
}

}  // namespace tactus
