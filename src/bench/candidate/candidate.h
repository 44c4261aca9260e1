#pragma once

#include <cstdint>
#include <string>

#include "tactus/operator.h"

namespace tactus {

/// What is checked and timed.
struct Candidate {
  enum class Kind : std::uint8_t {
    kReference,  ///< the definitions themselves: slow, and right
    kBuiltIn,    ///< our kernels for the CPU
    kLibrary,    ///< a shared library; our CUDA kernels are one too
  };
  Kind kind = Kind::kBuiltIn;
  std::string name;  ///< as reports call it
  std::string path;  ///< of the library
  tactus_device device = TACTUS_CPU;
  int ordinal = 0;  ///< of the CUDA device
};

}  // namespace tactus
