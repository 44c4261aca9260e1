#include "names/function_type.h"

#include <algorithm>
#include <array>
#include <string>

#include "names/kernel_name.h"

namespace tactus {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

FunctionType kernel_type(std::string_view name) {
  const bool is_collective = contains(lower(name), "nccl") || contains(lower(name), "rccl") ||
                             decode_kernel_name(name).family == Family::kCollective;
  return is_collective ? FunctionType::kGpuComm : FunctionType::kGpuCompute;
}

FunctionType copy_type(std::string_view name) {
  if (contains(name, "DtoH")) return FunctionType::kMemcpyD2h;
  if (contains(name, "DtoD") || contains(name, "PtoP")) return FunctionType::kMemcpyD2d;
  return FunctionType::kMemcpyH2d;
}

/// Calls of the CUDA and HIP runtimes and drivers. Queries, allocations and similar are neither.
FunctionType call_type(std::string_view name) {
  for (const std::string_view api : {"cuda", "cu", "hip"}) {
    if (!name.starts_with(api)) continue;
    const std::string_view call = name.substr(api.size());
    if (call.starts_with("StreamSynchronize") || call.starts_with("DeviceSynchronize") ||
        call.starts_with("EventSynchronize") || call.starts_with("CtxSynchronize")) {
      return FunctionType::kCpuSync;
    }
    if (contains(call, "Launch") || call.starts_with("Memset")) return FunctionType::kCpuLaunch;
    if (call.starts_with("Memcpy")) return FunctionType::kCpuCopy;
  }
  return FunctionType::kNone;
}

/// Events of the operating system, recognised by their names.
FunctionType host_type(SliceKind kind, std::string_view category, std::string_view name) {
  if (call_type(name) == FunctionType::kCpuSync) return FunctionType::kCpuSync;  // a user probe
  const std::string small = lower(name);
  if (small == "mmap" || small == "mprotect" || small == "munmap") {
    return FunctionType::kMemorySyscall;
  }
  static constexpr std::string_view kFileCalls[] = {"read",
                                                    "readv",
                                                    "write",
                                                    "writev",
                                                    "pread",
                                                    "pread64",
                                                    "pwrite",
                                                    "pwrite64",
                                                    "fsync",
                                                    "fdatasync",
                                                    "page fault from disk"};
  const bool is_file_call =
      std::find(std::begin(kFileCalls), std::end(kFileCalls), small) != std::end(kFileCalls);
  if (is_file_call && (category == "CAT_DISK" || kind == SliceKind::kOsRuntime)) {
    return FunctionType::kDisk;
  }
  if (small.starts_with("oncpu")) return FunctionType::kOnCpu;
  if (name == "runq") return FunctionType::kRunQueue;
  return FunctionType::kNone;
}

}  // namespace

std::string_view function_type_name(FunctionType type) {
  static constexpr std::array<std::string_view, kFunctionTypes> kNames = {"gpu_compute",
                                                                          "gpu_comm",
                                                                          "gpu_memcpy_h2d",
                                                                          "gpu_memcpy_d2h",
                                                                          "gpu_memcpy_d2d",
                                                                          "gpu_memset",
                                                                          "cpu_launch",
                                                                          "cpu_memcpy",
                                                                          "cpu_sync",
                                                                          "cpu_os_syscall_mem",
                                                                          "disk_read_and_write",
                                                                          "oncpu",
                                                                          "runq"};
  const auto index = static_cast<std::size_t>(type);
  return index < kNames.size() ? kNames[index] : std::string_view();
}

bool is_device_work(FunctionType type) {
  return type <= FunctionType::kMemset;
}

FunctionType function_type_of(SliceKind kind, std::string_view category, std::string_view name) {
  switch (kind) {
    case SliceKind::kKernel: return kernel_type(name);
    case SliceKind::kGraph: return FunctionType::kGpuCompute;
    case SliceKind::kMemcpy: return copy_type(name);
    case SliceKind::kMemset: return FunctionType::kMemset;
    case SliceKind::kRuntime:
    case SliceKind::kDriver: return call_type(name);
    case SliceKind::kOsRuntime:
    case SliceKind::kOther: return host_type(kind, category, name);
    default: return FunctionType::kNone;
  }
}

}  // namespace tactus
