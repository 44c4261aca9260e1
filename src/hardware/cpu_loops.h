#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hardware/profile.h"

namespace tactus {

/// Arithmetic that keeps the units of one core as busy as possible, all in registers.
struct CpuLoop {
  NumberType type = NumberType::kFp32;
  Engine engine = Engine::kVector;
  std::string_view instructions;  ///< "AVX-512"
  double flops_per_turn = 0;
  void (*run)(std::uint64_t turns) = nullptr;
};

/// Those that this processor and operating system can run.
std::vector<CpuLoop> cpu_loops();

}  // namespace tactus
