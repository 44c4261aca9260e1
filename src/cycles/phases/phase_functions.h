#pragma once

#include <cstdint>
#include <vector>

#include "cycles/phases/phase.h"
#include "run/run.h"

namespace tactus {

/// The phases of Python functions that engines run in one phase only.
class PhasesOfFunctions {
 public:
  explicit PhasesOfFunctions(const Run& run)
      : run_(run), known_(run.strings.size(), kNotLookedAt) {}

  /// Of the function whose frame has this name, a StringId; kUnknown for all others.
  Phase of(std::uint32_t name);

 private:
  static constexpr std::uint8_t kNotLookedAt = 255;

  const Run& run_;
  std::vector<std::uint8_t> known_;  ///< by name
};

}  // namespace tactus
