#include <fmt/format.h>

#include "base/file.h"
#include "check/build_check.h"

namespace tactus {
namespace {

constexpr int kSysAdmin = 21;  // CAP_SYS_ADMIN and similar, with the kernel's numbers
constexpr int kIpcLock = 14;
constexpr int kPerfmon = 38;
constexpr int kBpf = 39;
constexpr std::uint64_t kEnoughLocked = std::uint64_t{64} << 20;  // rings of events, 8 cores or so

bool may(const RecordingFacts& facts, int capability) {
  return ((facts.capabilities >> capability) & 1U) != 0;
}

CheckItem perf_events(const RecordingFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRecord, .item = "perf events"};
  if (!facts.perf_paranoid) {
    item.state = CheckState::kMissing;
    item.found = "this kernel has none (no perf_event_paranoid)";
    item.fix = "use a kernel with CONFIG_PERF_EVENTS";
    return item;
  }
  item.found = fmt::format("perf_event_paranoid is {}", *facts.perf_paranoid);
  const bool tried = facts.perf_error.has_value();
  if (tried && *facts.perf_error == 0) {
    item.found += "; watching a core works";
    return item;
  }
  if (tried) {
    item.found += "; watching a core fails: " + error_text(*facts.perf_error);
  } else if (may(facts, kPerfmon) || may(facts, kSysAdmin)) {
    item.found += ", and this process has CAP_PERFMON or CAP_SYS_ADMIN, which is above it";
    return item;
  }
  if (!tried && *facts.perf_paranoid <= 0) return item;
  item.state = CheckState::kDenied;
  if (!tried)
    item.found += *facts.perf_paranoid >= 2 ? ": only one's own processes, without the kernel"
                                            : ": only one's own processes, not all of a core";
  item.fix = "sudo sysctl kernel.perf_event_paranoid=0, or sudo setcap cap_perfmon+ep of tactus";
  return item;
}

CheckItem ebpf(const RecordingFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRecord, .item = "eBPF programs"};
  if (may(facts, kSysAdmin) || (may(facts, kBpf) && may(facts, kPerfmon))) {
    item.found = "this process may load them";
    if (facts.bpf_error.value_or(0) == 0) return item;
    item.state = CheckState::kDenied;
    item.found = "this process has the capabilities, yet: " + error_text(*facts.bpf_error);
    item.fix =
        "a sandbox forbids bpf(): in a container, --cap-add BPF,PERFMON and a seccomp profile that "
        "allows it";
    return item;
  }
  item.state = CheckState::kDenied;
  item.found = "this process has neither CAP_BPF with CAP_PERFMON nor CAP_SYS_ADMIN";
  item.fix = "run with sudo, or sudo setcap cap_bpf,cap_perfmon+ep of tactus";
  return item;
}

CheckItem btf(const RecordingFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRecord, .item = "types of the kernel (BTF)"};
  if (facts.btf) {
    item.found = "/sys/kernel/btf/vmlinux";
    return item;
  }
  item.state = CheckState::kMissing;
  item.found = "no /sys/kernel/btf/vmlinux";
  item.fix = "use a kernel with CONFIG_DEBUG_INFO_BTF (all large distributions since 2021)";
  return item;
}

CheckItem nvml(const DriverFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRecord, .item = "NVML"};
  if (facts.nvml_loaded && facts.nvml_complaint.empty()) {
    item.found = "starts; driver " + (facts.release.empty() ? "unknown" : facts.release);
    return item;
  }
  item.state = CheckState::kMissing;
  item.found = facts.nvml_loaded ? "does not start: " + facts.nvml_complaint
                                 : "libnvidia-ml.so.1 is not installed";
  item.fix =
      "comes with the NVIDIA driver; in a container, NVIDIA_DRIVER_CAPABILITIES=compute,utility";
  return item;
}

CheckItem gpu_counters(const RecordingFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRecord, .item = "GPU counters"};
  if (!facts.counters_for_admins_only) {
    item.state = CheckState::kMissing;
    item.found = "no /proc/driver/nvidia/params to show who may read them";
    item.fix = "see NVIDIA driver";
    return item;
  }
  if (!*facts.counters_for_admins_only) {
    item.found = "the driver lets everyone read them";
    return item;
  }
  item.found = "the driver lets administrators read them (RmProfilingAdminOnly)";
  if (may(facts, kSysAdmin)) {
    item.found += ", and this process is one";
    return item;
  }
  item.state = CheckState::kDenied;
  item.found += ": others get ERR_NVGPUCTRPERM";
  item.fix =
      "run with sudo (container: --cap-add SYS_ADMIN), or load the nvidia module with "
      "NVreg_RestrictProfilingToAdminUsers=0";
  return item;
}

CheckItem locked_memory(const RecordingFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRecord, .item = "locked memory"};
  if (!facts.locked_bytes) {
    item.found = "no limit";
    return item;
  }
  item.found = fmt::format("up to {:.1f} MB", static_cast<double>(*facts.locked_bytes) / 1e6);
  if (may(facts, kIpcLock)) {
    item.found += ", which does not apply to this process (CAP_IPC_LOCK)";
    return item;
  }
  if (*facts.locked_bytes >= kEnoughLocked) return item;
  item.state = CheckState::kDenied;
  item.fix =
      "ulimit -l unlimited (memlock in /etc/security/limits.conf; container: --ulimit memlock=-1)";
  return item;
}

}  // namespace

void check_recording(const MachineFacts& facts, std::vector<CheckItem>& items) {
  items.push_back(perf_events(facts.recording));
  items.push_back(ebpf(facts.recording));
  items.push_back(btf(facts.recording));
  items.push_back(nvml(facts.driver));
  items.push_back(gpu_counters(facts.recording));
  items.push_back(locked_memory(facts.recording));
}

}  // namespace tactus
