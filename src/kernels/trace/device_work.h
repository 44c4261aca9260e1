#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// Device time besides kernels: copies, sets, synchronisation, and idle time.
struct OtherWork {
  std::string name;
  std::string kind;  ///< gpu_memcpy, gpu_memset, cuda_sync or idle
  std::optional<std::int64_t> device;
  std::int64_t instances = 0;
  std::int64_t total_ns = 0;
  std::int64_t max_ns = 0;
};

/// By kind and name; one row of idle time per device, from the start of its first kernel to the end
/// of its last.
std::vector<OtherWork> other_work(const Run& run, const SliceFilter& filter);

}  // namespace tactus
