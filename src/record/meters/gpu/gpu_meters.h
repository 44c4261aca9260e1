#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "record/meters/gpu/nvml.h"
#include "record/meters/host/own_processes.h"
#include "record/meters/host/root_file.h"
#include "record/meters/reader.h"

namespace tactus::meters {

/// One GPU.
struct Gpu {
  std::shared_ptr<Nvml> nvml;
  Nvml::Device handle = nullptr;
  std::string label;   ///< "GPU 0"
  std::string bus_id;  ///< "0000:3b:00.0"
  std::atomic<bool> is_lost = false;
  // Of the thread of `activity_readers`.
  bool has_gpm_pcie = false;   ///< GPM gives the traffic, so that fields need not
  bool has_gpm_links = false;  ///< the same of NVLink
  bool sees_own = false;  ///< an own process was on it, so NVML numbers processes as /proc does

  /// True for success. What a call cannot do is listed, and why.
  bool good(int status, const char* what, MeterTable& table);
  Counter counter(const char* name) const { return Counter(name, MeterScope::kAll, label); }
};

/// All GPUs that NVML shows, and their readers by thread: a call that takes long shall not keep
/// those waiting that are quick. Threads may use it together.
class GpuMeters {
 public:
  explicit GpuMeters(std::string library) : library_(std::move(library)) {}

  /// What can change from step to step: clocks, power, use. None, and an issue, if there is no NVML
  /// or no GPU; so it is with the other two.
  MeterReaders quick_readers(MeterTable& table);
  /// Processes, activity, traffic, state.
  MeterReaders activity_readers(const Root& root, const std::shared_ptr<OwnProcesses>& own,
                                MeterTable& table);
  /// Traffic over PCIe of those GPUs whose driver only has the call that watches the link for 20
  /// ms.
  MeterReaders slow_pcie_readers(MeterTable& table);

 private:
  const std::vector<std::shared_ptr<Gpu>>& gpus(MeterTable& table);

  std::string library_;
  std::once_flag is_open_;
  std::vector<std::shared_ptr<Gpu>> gpus_;
};

/// A call that is not made again once the driver said that it never works.
class GpuCall {
 public:
  explicit GpuCall(const char* what) : what_(what) {}

  template <class Function, class... Arguments>
  bool operator()(Gpu& gpu, MeterTable& table, Function function, Arguments... arguments) {
    if (is_off_ || gpu.is_lost) return false;
    const int status =
        function == nullptr ? kNvmlFunctionNotFound : function(gpu.handle, arguments...);
    is_off_ = is_final(status);
    return gpu.good(status, what_, table);
  }

 private:
  static bool is_final(int status) {
    return status == kNvmlNotSupported || status == kNvmlNoPermission ||
           status == kNvmlFunctionNotFound || status == kNvmlInvalidArgument;
  }

  const char* what_;
  bool is_off_ = false;
};

// The readers of one GPU.
/// Clocks, and why they are not higher.
std::unique_ptr<MeterReader> gpu_clock_meter(std::shared_ptr<Gpu> gpu);
std::unique_ptr<MeterReader> gpu_power_meter(std::shared_ptr<Gpu> gpu);
/// Traffic over PCIe and NVLink, as far as GPM does not give it.
std::unique_ptr<MeterReader> gpu_traffic_meter(std::shared_ptr<Gpu> gpu);
std::unique_ptr<MeterReader> slow_pcie_meter(std::shared_ptr<Gpu> gpu);
/// Use and memory of the device.
std::unique_ptr<MeterReader> gpu_use_meter(std::shared_ptr<Gpu> gpu);
/// Temperature and the state of the PCIe link.
std::unique_ptr<MeterReader> gpu_state_meter(std::shared_ptr<Gpu> gpu, const Root& root);
/// Memory that own and foreign processes hold on the device.
std::unique_ptr<MeterReader> gpu_process_memory_meter(std::shared_ptr<Gpu> gpu, const Root& root,
                                                      std::shared_ptr<OwnProcesses> own);
/// The share of time in which kernels of own and foreign processes ran.
std::unique_ptr<MeterReader> gpu_process_use_meter(std::shared_ptr<Gpu> gpu, const Root& root,
                                                   std::shared_ptr<OwnProcesses> own);
/// Hopper and later: activity of SMs, tensor cores, memory and links. Null without it.
std::unique_ptr<MeterReader> gpm_meter(std::shared_ptr<Gpu> gpu, MeterTable& table);

}  // namespace tactus::meters
