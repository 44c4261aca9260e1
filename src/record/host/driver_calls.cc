#include "record/host/driver_calls.h"

#include <unistd.h>

#include <fstream>

#include "../bpf/host.h"

namespace tactus::record {
namespace {

constexpr DriverCall kCalls[] = {
    {"cuLaunchKernel", HOST_LAUNCH},
    {"cuLaunchKernel_ptsz", HOST_LAUNCH},
    {"cuLaunchCooperativeKernel", HOST_LAUNCH},
    {"cuLaunchCooperativeKernel_ptsz", HOST_LAUNCH},
    {"cuLaunchKernelEx", HOST_LAUNCH_EX},
    {"cuLaunchKernelEx_ptsz", HOST_LAUNCH_EX},
    {"cuGraphLaunch", HOST_GRAPH},
    {"cuGraphLaunch_ptsz", HOST_GRAPH},
    {"cuStreamSynchronize", HOST_WAIT},
    {"cuStreamSynchronize_ptsz", HOST_WAIT},
    {"cuEventSynchronize", HOST_WAIT},
    {"cuCtxSynchronize", HOST_WAIT},
};

}  // namespace

bool DriverCall::waits() const {
  return what == HOST_WAIT;
}

bool DriverCall::is_graph() const {
  return what == HOST_GRAPH;
}

std::span<const DriverCall> driver_calls() {
  return kCalls;
}

std::string find_driver(std::int64_t pid, const std::string& proc) {
  const std::string folder = proc + "/" + std::to_string(pid);
  // "7f12..-7f13.. r-xp 00000000 fe:01 1234    /usr/lib/x86_64-linux-gnu/libcuda.so.580.82.07"
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos) continue;
    const std::size_t name = line.rfind('/') + 1;
    if (line.compare(name, 11, "libcuda.so.") != 0) continue;
    // In a container, its files are elsewhere.
    const std::string inside = folder + "/root" + line.substr(path);
    if (::access(inside.c_str(), R_OK) == 0) return inside;
    const std::string here = line.substr(path);
    if (::access(here.c_str(), R_OK) == 0) return here;
  }
  return "";
}

}  // namespace tactus::record
