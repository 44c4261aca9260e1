#pragma once

#include <optional>

#include "bounds/kernel_bounds.h"
#include "cycles/cycles.h"
#include "kernels/kernel_report.h"
#include "kernels/trace/launch_table.h"
#include "measure/idle_time.h"

namespace tactus {

/// The kernels of a run, how far they are from their bounds, and why the devices idled.
struct KernelAnswer {
  KernelReport report;
  KernelBounds bounds;
  std::optional<IdleTime> idle;         ///< nothing if no work of a device has a time
  std::optional<LaunchTable> launches;  ///< of a run that has no kernels
};

/// Questions about the kernels of one run. What they have in common is worked out once. One thread
/// may ask at a time.
class KernelAnswers {
 public:
  /// The run must outlive it.
  KernelAnswers(const Run& run, unsigned threads) : run_(run), threads_(threads), passes_(run) {}

  /// About all kernels.
  const KernelAnswer& all();
  bool has_all() const { return all_.has_value(); }
  /// `cycles` are those of the whole run, if they were found already.
  KernelAnswer of(const KernelQuestion& question, const Cycles* cycles = nullptr);

 private:
  const Run& run_;
  unsigned threads_;
  RunPasses passes_;
  std::optional<KernelAnswer> all_;
};

/// The idle time of the steps that a question is about; nothing if no work of a device has a time.
/// `cycles` are those of the whole run, if they were found already.
std::optional<IdleTime> idle_time_of(const Run& run, const KernelQuestion& question,
                                     const Cycles* cycles = nullptr);

}  // namespace tactus
