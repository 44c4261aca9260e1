#pragma once

#include <cuda_runtime.h>

#include "tactus/operator.h"

namespace tactus::cuda {

/// Whether the device of the call has thread-block clusters and can start a kernel early (compute
/// capability 9.0 and later). Our kernels for older devices are compiled without them.
inline bool has_clusters(const tactus_call* call) {
  int major = 0;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, call->device) ==
             cudaSuccess &&
         major >= 9;
}

}  // namespace tactus::cuda
