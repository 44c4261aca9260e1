#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tactus {

/// All settings that decide a comparison. `--thresholds FILE` sets them by name, one `name = value`
/// per line.
struct Thresholds {
  double launches_differ = 0.10;    ///< launches per cycle further apart are another kind of cycle
  double jaccard_same_kind = 0.50;  ///< kernels in common below this: another kind of cycle
  double jaccard_same_kernels = 0.75;  ///< below this the set of kernels changed
  double jaccard_same_shapes = 0.75;   ///< below this the shapes of the inputs changed
  double batch_changed = 0.05;         ///< relative change of batch or tokens per step
  double counter_moved = 1.25;         ///< a counter moved if it did so by at least this factor
  double step_changed = 1.05;          ///< a step changed if it did so by at least this factor
  double function_changed = 1.10;      ///< a class of functions did, per unit of work
  double syncs_added = 1.5;            ///< waits for the device per cycle, as a factor
  double false_discovery = 0.05;       ///< with a larger q, it is not a finding
  double counter_coverage = 0.50;      ///< the evidence names counters with a sample in fewer
                                       ///< cycles
  double host_cpu_busy_pct = 25;       ///< below this the host has free cores
  double cpu_temp_high = 90;           ///< [C]
  double gpu_temp_high = 85;           ///< [C]
  double cpu_clock_low_mhz = 1200;
  double clock_drop = 0.85;            ///< of the best of several devices or hosts
  double foreign_memory_bytes = 1e9;   ///< device memory of other processes that is reported
  double foreign_pcie_bytes = 5e9;     ///< [bytes/s] of other processes over PCIe that is reported
  double host_memory_low_bytes = 2e9;  ///< available
  double disk_full_pct = 95;
};

/// Sets thresholds by name from a text; an error names the line.
Status read_thresholds(std::string_view text, std::string_view path, Thresholds& into);

/// All of them as such a text.
std::string thresholds_text(const Thresholds& thresholds);

}  // namespace tactus
