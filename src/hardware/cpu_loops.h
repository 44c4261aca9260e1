#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hardware/profile.h"

namespace tactus {

/// Arithmetic that keeps one core's units as busy as they can be, all of it in registers.
struct CpuLoop {
  NumberType type = NumberType::kFp32;
  Engine engine = Engine::kVector;
  std::string_view instructions;  ///< "AVX-512"
  double flops_per_turn = 0;
  void (*run)(std::uint64_t turns) = nullptr;
};

/// Those that this processor and this operating system can run.
std::vector<CpuLoop> cpu_loops();

}  // namespace tactus
