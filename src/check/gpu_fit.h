#pragma once

#include <string>
#include <vector>

#include "check/fatbin.h"

namespace tactus {

/// A GPU of this machine.
struct Gpu {
  std::string name;    ///< "NVIDIA H200"
  int capability = 0;  ///< 90: compute capability 9.0

  std::string architecture() const { return "sm_" + std::to_string(capability); }
};

/// A CUDA version as a number: 13000 is 13.0.
std::string cuda_version_text(int version);

/// The CUDA version of a PTX version (90: 13.0, as 13000): a driver must support it to compile the
/// PTX. 0 if unknown.
int cuda_version_of_ptx(int ptx_version);

/// Whether a GPU can run a piece of code, if its driver accepts it.
bool fits(const GpuCode& code, const Gpu& gpu);

enum class Fit : unsigned char { kRuns, kRunsAfterCompiling, kDoesNotRun, kUnknown };

struct FitVerdict {
  Fit fit = Fit::kUnknown;
  std::string sentence;  ///< "has machine code for sm_80 only: on NVIDIA H200 (sm_90) nothing runs"
  std::string fix;       ///< "add -gencode arch=compute_90,code=sm_90"; empty if all is well
};

/// GPU code against a GPU (null if there is none) and the CUDA version of its driver (13000; 0 if
/// unknown).
FitVerdict fit_of(const Fatbin& fatbin, const Gpu* gpu, int driver_version);

}  // namespace tactus
