#include "kernels/table/kernel_summary.h"

namespace tactus {

KernelTable kernels_by_name(const Run& run, const KernelInstances& kernels) {
  return sum_up(kernels.names, kernels.durs, run.strings.size(),
                [&](std::uint32_t name) { return run.strings[StringId(name)]; });
}

KernelTable summarise_kernels(const Run& run, const SliceFilter& filter) {
  if (run.kernel_summary) return *run.kernel_summary;
  return kernels_by_name(run, kernel_instances(run, filter));
}

}  // namespace tactus
