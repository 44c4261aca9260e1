#include "compare/comparison.h"

#include "base/check.h"

namespace tactus {

std::string_view verdict_class_name(VerdictClass verdict) {
  switch (verdict) {
    case VerdictClass::kNone: return "none";
    case VerdictClass::kWorkloadChanged: return "workload_changed";
    case VerdictClass::kKernelsChanged: return "kernels_changed";
    case VerdictClass::kSyncAdded: return "sync_added";
    case VerdictClass::kCpuContention: return "cpu_contention";
    case VerdictClass::kCpuFrequency: return "cpu_frequency";
    case VerdictClass::kGpuClock: return "gpu_clock";
    case VerdictClass::kGpuContention: return "gpu_contention";
    case VerdictClass::kPcie: return "pcie";
    case VerdictClass::kNvlink: return "nvlink";
    case VerdictClass::kNetwork: return "network";
    case VerdictClass::kHostMemory: return "host_memory";
    case VerdictClass::kDisk: return "disk";
    case VerdictClass::kNotComparable: return "not_comparable";
    case VerdictClass::kUnknown: return "unknown";
  }
  CHECK(false);
  return {};
}

std::string_view confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh: return "high";
    case Confidence::kMedium: return "medium";
    case Confidence::kLow: return "low";
  }
  CHECK(false);
  return {};
}

}  // namespace tactus
