#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "run/facts.h"

namespace tactus {

/// The type of a function: func_type of a `*_perf_data.csv`.
enum class FunctionType : std::uint8_t {
  kGpuCompute,
  kGpuComm,  ///< kernels that move data between GPUs and wait for each other
  kMemcpyH2d,
  kMemcpyD2h,
  kMemcpyD2d,
  kMemset,
  kCpuLaunch,      ///< calls that hand work to the device
  kCpuCopy,        ///< calls that copy; with pageable memory they also wait
  kCpuSync,        ///< calls that wait for the device
  kMemorySyscall,  ///< mmap and similar
  kDisk,
  kOnCpu,     ///< a thread has a core
  kRunQueue,  ///< a thread waits for a core
  kNone,      ///< not relevant here: operators, Python frames, ranges
};
inline constexpr std::size_t kFunctionTypes = static_cast<std::size_t>(FunctionType::kNone);

/// "gpu_compute", "cpu_sync"; empty for kNone.
std::string_view function_type_name(FunctionType type);

/// True for kernels, copies and sets.
bool is_device_work(FunctionType type);

/// `category` is the text of the source, `kind` its meaning.
FunctionType function_type_of(SliceKind kind, std::string_view category, std::string_view name);

}  // namespace tactus
