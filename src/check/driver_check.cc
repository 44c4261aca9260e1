#include <fmt/format.h>

#include "check/build_check.h"

namespace tactus {
namespace {

CheckItem driver(const MachineFacts& facts) {
  const DriverFacts& driver = facts.driver;
  CheckItem item{.purpose = CheckPurpose::kRun, .item = "NVIDIA driver"};
  if (!driver.loaded) {
    item.state = CheckState::kMissing;
    item.found = facts.device_files ? "its devices are there, but libcuda.so.1 is not"
                                    : "libcuda.so.1 is not installed";
    item.fix = "install the driver of NVIDIA; in a container, start it with --gpus all";
    return item;
  }
  item.found = driver.version == 0
                   ? std::string("an unknown version")
                   : fmt::format("supports CUDA up to {}", cuda_version_text(driver.version));
  if (!driver.release.empty()) item.found = fmt::format("{}, {}", driver.release, item.found);
  if (driver.complaint.empty()) return item;
  item.found += "; it does not start: " + driver.complaint;
  if (facts.device_files_denied) {
    item.state = CheckState::kDenied;
    item.fix = "join the group that owns /dev/nvidiactl (often video), or run as root";
    return item;
  }
  item.state = CheckState::kMissing;
  item.fix =
      facts.device_files
          ? "nvidia-smi shows more; after an update of the driver, load its module again or reboot"
          : "/dev/nvidiactl is not there: load the nvidia module; in a container, use --gpus all";
  return item;
}

void gpus(const MachineFacts& facts, std::vector<CheckItem>& items) {
  const std::vector<Gpu>& gpus = facts.driver.gpus;
  if (gpus.empty()) {
    items.push_back(
        {.purpose = CheckPurpose::kRun,
         .item = "GPU",
         .state = CheckState::kMissing,
         .found = "none that CUDA can use",
         .fix = "see NVIDIA driver; check that CUDA_VISIBLE_DEVICES does not hide them"});
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    items.push_back({.purpose = CheckPurpose::kRun,
                     .item = fmt::format("GPU {}", i),
                     .found = fmt::format("{}, {} (compute capability {}.{})", gpus[i].name,
                                          gpus[i].architecture(), gpus[i].capability / 10,
                                          gpus[i].capability % 10)});
  }
}

CheckItem driver_for_toolkit(const MachineFacts& facts) {
  const int speaks = facts.driver.version;
  const int toolkit = facts.compilers.toolkit;
  CheckItem item{.purpose = CheckPurpose::kRun, .item = "driver for the toolkit"};
  if (speaks == 0 || toolkit == 0) {
    item.state = CheckState::kMissing;
    item.found = speaks == 0 ? "not known without a driver" : "not known without nvcc";
    item.fix = speaks == 0 ? "see NVIDIA driver" : "see CUDA toolkit";
    return item;
  }
  item.found = fmt::format("the driver supports CUDA {}, nvcc is of CUDA {}",
                           cuda_version_text(speaks), cuda_version_text(toolkit));
  if (toolkit <= speaks) return item;
  item.state = CheckState::kDenied;
  if (toolkit / 1000 == speaks / 1000) {
    item.found += ": machine code runs, PTX of this nvcc does not load";
    item.fix =
        "name the GPU (-gencode arch=compute_XX,code=sm_XX), update the driver, or use an "
        "older toolkit";
  } else {
    item.found += ": what it builds does not run";
    item.fix =
        fmt::format("update the driver to one for CUDA {}, or build with a toolkit of CUDA {}",
                    toolkit / 1000, speaks / 1000);
  }
  return item;
}

}  // namespace

void check_driver(const MachineFacts& facts, std::vector<CheckItem>& items) {
  items.push_back(driver(facts));
  gpus(facts, items);
  items.push_back(driver_for_toolkit(facts));
}

}  // namespace tactus
