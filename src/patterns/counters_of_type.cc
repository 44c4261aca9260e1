#include "patterns/counters_of_type.h"

namespace tactus {
namespace {

constexpr std::string_view kGpuWork[] = {
    "process_gpu_usage", "gpu_usage",       "gpu_sm_util",      "gpu_sm_occupancy",
    "gpu_mem_used",      "gpu_frequency",   "gpu_sm_frequency", "gpu_mem_frequency",
    "gpu_mem_usage",     "gpu_mem_foreign", "gpu_power",        "gpu_temp",
    "gpu_tensor_util",   "gpu_dram_util",   "gpu_ctxsw_active", "gpu_foreign_usage"};
constexpr std::string_view kCollectives[] = {
    "process_gpu_usage", "gpu_usage",         "gpu_sm_util",      "gpu_sm_occupancy",
    "gpu_pcie_transmit", "gpu_pcie_receive",  "gpu_link_receive", "gpu_link_transmit",
    "net_tx_rate",       "net_rx_rate",       "ib_tx_rate",       "ib_rx_rate",
    "gpu_sm_frequency",  "gpu_mem_frequency", "gpu_pcie_replays", "ib_retransmits"};
constexpr std::string_view kHostCopies[] = {"gpu_pcie_transmit", "gpu_pcie_receive",
                                            "gpu_pcie_replays", "pcie_link_speed",
                                            "pcie_link_width"};
constexpr std::string_view kPeerCopies[] = {"gpu_link_transmit", "gpu_link_receive", "net_tx_rate",
                                            "net_rx_rate"};
constexpr std::string_view kFills[] = {"gpu_sm_frequency", "gpu_mem_frequency", "gpu_mem_usage"};
constexpr std::string_view kOwnCode[] = {
    "process_cpu_usage", "host_cpu_usage", "host_mem_usage",     "process_mem_usage",
    "cpu_frequency",     "cpu_temp",       "cpu_power",          "host_cpu_foreign",
    "host_cpu_steal",    "cpu_pressure",   "host_mem_available", "memory_pressure",
    "major_faults",      "procs_running",  "runq_wait",          "container_cpu_throttled"};
constexpr std::string_view kWaitsForCore[] = {
    "process_cpu_usage", "host_cpu_usage", "host_mem_usage", "process_mem_usage",
    "host_cpu_foreign",  "cpu_pressure",   "procs_running"};
constexpr std::string_view kMemoryCalls[] = {"host_mem_usage", "process_mem_usage",
                                             "process_mem_rss", "host_mem_available",
                                             "memory_pressure"};
constexpr std::string_view kDiskCalls[] = {"disk_usage", "disk_read",  "disk_write",
                                           "disk_util",  "disk_await", "io_pressure"};

}  // namespace

std::span<const std::string_view> counters_of(FunctionType type) {
  switch (type) {
    case FunctionType::kGpuCompute: return kGpuWork;
    case FunctionType::kGpuComm: return kCollectives;
    case FunctionType::kMemcpyH2d:
    case FunctionType::kMemcpyD2h: return kHostCopies;
    case FunctionType::kMemcpyD2d: return kPeerCopies;
    case FunctionType::kMemset: return kFills;
    case FunctionType::kCpuLaunch:
    case FunctionType::kOnCpu: return kOwnCode;
    case FunctionType::kRunQueue: return kWaitsForCore;
    case FunctionType::kMemorySyscall: return kMemoryCalls;
    case FunctionType::kDisk: return kDiskCalls;
    default: return {};  // a wait is as long as the work that it waits for
  }
}

}  // namespace tactus
