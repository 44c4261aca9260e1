#include "base/json.h"
#include "bounds/kernel_bounds.h"
#include "hardware/unnamed_device.h"

namespace tactus {
namespace {

/// Of devices without a name, from what the profiler recorded about them. All must be the same.
const HardwareProfile* hardware_by_facts(const Run& run) {
  const HardwareProfile* found = nullptr;
  for (const Source& source : run.sources) {
    for (const Metadata& entry : source.metadata) {
      if (run.strings[entry.key] != "deviceProperties") continue;
      const Json devices = Json::parse(run.strings[entry.json]);
      for (std::size_t i = 0; devices.is_array() && i < devices.size(); ++i) {
        const auto number = [&](std::string_view key) -> std::int64_t {
          const Json* value = devices[i].is_object() ? devices[i].find(key) : nullptr;
          return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : 0;
        };
        const HardwareProfile* known =
            hardware_of_facts({.major = number("computeMajor"),
                               .minor = number("computeMinor"),
                               .warp_size = number("warpSize"),
                               .multiprocessors = number("numSms"),
                               .memory_bytes = static_cast<double>(number("totalGlobalMem"))});
        if (known == nullptr || (found != nullptr && found != known)) return nullptr;
        found = known;
      }
    }
  }
  return found;
}

}  // namespace

const HardwareProfile* hardware_of_run(const Run& run) {
  bool is_named = false;
  for (const Device& device : run.devices) {
    if (const HardwareProfile* known = hardware_of_device(run.strings[device.name])) return known;
    is_named = is_named || !run.strings[device.name].empty();
  }
  return is_named ? nullptr : hardware_by_facts(run);
}

}  // namespace tactus
