#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tactus::record {

/// A call of the CUDA driver that can be watched from outside.
struct DriverCall {
  std::string_view name;
  std::uint32_t what = 0;  ///< host_cuda_call of bpf/host.h: where its arguments are

  bool waits() const;
  bool is_graph() const;
};
std::span<const DriverCall> driver_calls();

/// The file of libcuda.so.1 that a process has loaded, as this process can open it; empty if it has
/// loaded none.
std::string find_driver(std::int64_t pid, const std::string& proc = "/proc");

}  // namespace tactus::record
