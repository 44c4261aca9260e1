#pragma once

#include <string>

#include "base/result.h"

namespace tactus {

struct CudaFacts {
  std::string name;          ///< "NVIDIA H200"
  std::string driver;        ///< "13.0", the newest CUDA that it supports
  std::string card;          ///< a short hash of what only this card has; empty: not known
  std::string architecture;  ///< "sm_90a": with all instructions of exactly this device
};

/// Asked in a separate process: a process that has started CUDA cannot start workers that use it.
Result<CudaFacts> cuda_facts(int ordinal);

}  // namespace tactus
