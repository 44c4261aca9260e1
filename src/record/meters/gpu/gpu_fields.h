#pragma once

#include "record/meters/gpu/gpu_meters.h"

namespace tactus::meters {

enum : unsigned {  // NVML_FI_DEV_...
  kFieldMemoryTemperature = 82,
  kFieldPcieReplays = 94,
  kFieldLinkSent = 138,  ///< KiB, of all links if the scope says so
  kFieldLinkReceived = 139,
  kFieldPowerNow = 186,  ///< mW
  kFieldPcieSent = 197,  ///< bytes; may wrap
  kFieldPcieReceived = 198,
};
constexpr unsigned kAllLinks = ~0U;

/// A field to ask for.
NvmlField asked_field(unsigned field, unsigned scope = 0);
/// True if the driver answers for that field.
bool has_field(const Gpu& gpu, unsigned field);

}  // namespace tactus::meters
