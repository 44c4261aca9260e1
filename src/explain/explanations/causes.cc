#include "explain/explanations/causes.h"

#include <array>

namespace tactus {
namespace {

constexpr double kClock = 1.03;
constexpr double kMoved = 1.25;

constexpr std::array kGpuClock = {
    Signal{
        .counter = "gpu_sm_frequency", .harm = Harm::kDown, .law = Law::kInverse, .least = kClock},
    Signal{.counter = "gpu_frequency", .harm = Harm::kDown, .law = Law::kInverse, .least = kClock},
};
constexpr std::array kMemoryClock = {
    Signal{
        .counter = "gpu_mem_frequency", .harm = Harm::kDown, .law = Law::kInverse, .least = kClock},
};
constexpr std::array kGpuContention = {
    Signal{.counter = "gpu_foreign_usage", .law = Law::kShareLeft},
    Signal{.counter = "gpu_ctxsw_active"},
    Signal{.counter = "gpu_mem_foreign"},
    Signal{.counter = "gpu_mem_used",
           .own = OwnUse::kCounter,
           .own_counter = "process_gpu_mem_usage",
           .least = 1.01},
};
constexpr std::array kNvlink = {
    Signal{.counter = "gpu_link_receive", .own = OwnUse::kFollowsStep},
    Signal{.counter = "gpu_link_transmit", .own = OwnUse::kFollowsStep},
};
constexpr std::array kPcie = {
    Signal{.counter = "pcie_link_speed", .harm = Harm::kDown, .law = Law::kInverse},
    Signal{.counter = "pcie_link_width", .harm = Harm::kDown, .law = Law::kInverse},
    Signal{.counter = "gpu_pcie_replays"},
    Signal{.counter = "gpu_pcie_receive", .own = OwnUse::kFollowsStep},
    Signal{.counter = "gpu_pcie_transmit", .own = OwnUse::kFollowsStep},
};
constexpr std::array kNetwork = {
    Signal{.counter = "ib_retransmits"},
    Signal{.counter = "net_drops"},
    Signal{.counter = "ib_rx_rate", .own = OwnUse::kFollowsStep},
    Signal{.counter = "ib_tx_rate", .own = OwnUse::kFollowsStep},
    Signal{.counter = "net_rx_rate", .own = OwnUse::kFollowsStep},
    Signal{.counter = "net_tx_rate", .own = OwnUse::kFollowsStep},
};
constexpr std::array kCpuFrequency = {
    Signal{.counter = "cpu_frequency", .harm = Harm::kDown, .law = Law::kInverse, .least = kClock},
};
constexpr std::array kCpuContention = {
    Signal{.counter = "host_cpu_foreign", .law = Law::kShareLeft, .by_scarcity = true},
    Signal{.counter = "host_cpu_usage",
           .law = Law::kShareLeft,
           .own_counter = "process_cpu_usage",
           .by_scarcity = true},
    Signal{.counter = "host_cpu_steal", .law = Law::kShareLeft},
    Signal{.counter = "host_cpu_irq", .law = Law::kShareLeft},
    Signal{.counter = "runq_wait", .law = Law::kCost},
    Signal{.counter = "cpu_pressure"},
    Signal{.counter = "container_cpu_throttled", .law = Law::kCost},
};
constexpr std::array kStopped = {
    Signal{.counter = "process_stopped", .law = Law::kCost},
};
constexpr std::array kHostMemory = {
    Signal{.counter = "memory_pressure", .law = Law::kAtMost},
    Signal{.counter = "swap_in"},
    Signal{.counter = "swap_out"},
    Signal{.counter = "major_faults"},
    Signal{.counter = "compaction_stalls"},
    Signal{.counter = "numa_misses"},
    Signal{.counter = "process_mem_swap"},
};
constexpr std::array kDisk = {
    Signal{.counter = "io_pressure", .law = Law::kAtMost},
    Signal{.counter = "disk_await"},
    Signal{.counter = "disk_util", .law = Law::kAtMost},
    Signal{.counter = "disk_read"},
    Signal{.counter = "disk_write"},
};
static_assert(kDisk[0].least == kMoved);

constexpr std::array kCauses = {
    Cause{VerdictClass::kGpuClock, Slows::kKernels, kGpuClock},
    Cause{VerdictClass::kGpuClock, Slows::kMemory, kMemoryClock},
    Cause{VerdictClass::kNvlink, Slows::kLinks, kNvlink},
    Cause{VerdictClass::kGpuContention, Slows::kDevice, kGpuContention},
    Cause{VerdictClass::kPcie, Slows::kCopies, kPcie},
    Cause{VerdictClass::kNetwork, Slows::kLinks, kNetwork},
    Cause{VerdictClass::kCpuFrequency, Slows::kHost, kCpuFrequency},
    Cause{VerdictClass::kCpuContention, Slows::kCores, kCpuContention},
    Cause{VerdictClass::kHostSlower, Slows::kProcess, kStopped},
    Cause{VerdictClass::kHostMemory, Slows::kHost, kHostMemory},
    Cause{VerdictClass::kDisk, Slows::kHost, kDisk},
};

}  // namespace

std::span<const Cause> known_causes() {
  return kCauses;
}

const Signal* signal_of(std::string_view counter) {
  for (const Cause& cause : kCauses) {
    for (const Signal& signal : cause.signals) {
      if (signal.counter == counter) return &signal;
    }
  }
  return nullptr;
}

VerdictClass class_of_counter(std::string_view counter) {
  for (const Cause& cause : kCauses) {
    for (const Signal& signal : cause.signals) {
      if (signal.counter == counter) return cause.verdict;
    }
  }
  return VerdictClass::kNone;
}

bool is_slowed(Slows slows, Part part) {
  switch (slows) {
    case Slows::kKernels:
    case Slows::kMemory: return is_compute_part(part);
    case Slows::kDevice:
      return is_compute_part(part) || part == Part::kLaunchDelay || part == Part::kDeviceWait;
    case Slows::kLinks:
      return part == part_of(Family::kCollective) || part == Part::kOtherRanks ||
             part == Part::kCopyOnDevice;
    case Slows::kCopies: return is_copy_part(part) || part == Part::kCopyCall;
    // Of waits only as much as the run's own threads waited for cores: that is looked at where it
    // is known.
    case Slows::kHost:
    case Slows::kCores: return is_idle_part(part);
    case Slows::kProcess: return is_idle_part(part) || part == Part::kDeviceWait;
  }
  return false;
}

}  // namespace tactus
