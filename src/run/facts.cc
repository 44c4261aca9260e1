#include "run/facts.h"

namespace tactus {
namespace {

struct CategoryRule {
  std::string_view category;
  SliceKind kind;
};

// The first rule of a kind gives its name.
constexpr CategoryRule kCategories[] = {
    {"kernel", SliceKind::kKernel},
    {"gpu_memcpy", SliceKind::kMemcpy},
    {"gpu_memset", SliceKind::kMemset},
    {"cuda_runtime", SliceKind::kRuntime},
    {"cuda_driver", SliceKind::kDriver},
    {"cpu_op", SliceKind::kCpuOp},
    {"python_function", SliceKind::kPython},
    {"user_annotation", SliceKind::kAnnotation},
    {"gpu_user_annotation", SliceKind::kGpuAnnotation},
    {"cuda_sync", SliceKind::kSync},
    {"cuda_graph", SliceKind::kGraph},
    {"os_runtime", SliceKind::kOsRuntime},
    {"overhead", SliceKind::kOverhead},
    {"other", SliceKind::kOther},
    // Kineto before 2022 and other profilers
    {"Kernel", SliceKind::kKernel},
    {"Memcpy", SliceKind::kMemcpy},
    {"Memset", SliceKind::kMemset},
    {"Runtime", SliceKind::kRuntime},
    {"Operator", SliceKind::kCpuOp},
    {"python", SliceKind::kPython},
    // other devices behind PyTorch
    {"xpu_runtime", SliceKind::kRuntime},
    {"xpu_driver", SliceKind::kDriver},
    {"mtia_runtime", SliceKind::kRuntime},
    {"privateuse1_runtime", SliceKind::kRuntime},
    {"privateuse1_driver", SliceKind::kDriver},
    {"nvtx", SliceKind::kAnnotation},
};

}  // namespace

std::string_view kind_name(SliceKind kind) {
  for (const CategoryRule& rule : kCategories) {
    if (rule.kind == kind) return rule.category;
  }
  return "other";
}

SliceKind kind_of_category(std::string_view category) {
  for (const CategoryRule& rule : kCategories) {
    if (rule.category == category) return rule.kind;
  }
  return SliceKind::kOther;
}

bool runs_on_device(SliceKind kind) {
  return is_device_work(kind) || kind == SliceKind::kGpuAnnotation || kind == SliceKind::kSync;
}

bool is_device_work(SliceKind kind) {
  return kind == SliceKind::kKernel || kind == SliceKind::kGraph || kind == SliceKind::kMemcpy ||
         kind == SliceKind::kMemset;
}

}  // namespace tactus
