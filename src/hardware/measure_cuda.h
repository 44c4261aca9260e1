#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "hardware/profile.h"
#include "hardware/profile_cache.h"

namespace tactus {

struct CudaOptions {
  std::string cache_folder = default_cache_folder();  ///< empty: save nothing
  /// Where to look for libtactus_cuda_ceilings.so; empty: beside the executable and in ../lib.
  std::vector<std::string> library_folders;
};

/// The limits that a GPU reaches now, named as the driver names it ("NVIDIA H200"), in about ten
/// seconds. Saved and read like the profile of the host. Does not change clocks. Needs the library,
/// which is built if there is a CUDA toolkit.
Result<HardwareProfile> measure_cuda(int device, Progress& progress, bool fresh,
                                     const CudaOptions& options = {},
                                     std::string* warning = nullptr);

}  // namespace tactus
