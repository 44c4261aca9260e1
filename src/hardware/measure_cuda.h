#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "hardware/profile.h"
#include "hardware/profile_cache.h"

namespace tactus {

struct CudaOptions {
  std::string cache_folder = default_cache_folder();  ///< empty: keep nothing
  /// Where libtactus_cuda_ceilings.so is looked for; empty: beside the executable and in ../lib.
  std::vector<std::string> library_folders;
};

/// The ceilings of a GPU as they are reached here and now, named as the driver names it ("NVIDIA
/// H200"), in about ten seconds. Kept and read like the profile of the host. Clocks are left alone.
/// Needs the library that is built where there is a CUDA toolkit.
Result<HardwareProfile> measure_cuda(int device, Progress& progress, bool fresh,
                                     const CudaOptions& options = {},
                                     std::string* warning = nullptr);

}  // namespace tactus
