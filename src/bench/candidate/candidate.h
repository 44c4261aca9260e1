#pragma once

#include <cstdint>
#include <string>

#include "tactus/operator.h"

namespace tactus {

/// The code that is checked and timed.
struct Candidate {
  enum class Kind : std::uint8_t {
    kReference,  ///< the definitions themselves: slow, and correct
    kBuiltIn,    ///< our kernels for the CPU
    kLibrary,    ///< a shared library; our CUDA kernels are one too
    kPython,     ///< a file with a function per operator
  };
  Kind kind = Kind::kBuiltIn;
  std::string name;  ///< its name in reports
  std::string path;  ///< of the library
  tactus_device device = TACTUS_CPU;
  int ordinal = 0;  ///< of the CUDA device
};

}  // namespace tactus
