#pragma once

#include <optional>

#include "bounds/kernel_bounds.h"
#include "kernels/kernel_report.h"
#include "measure/idle_time.h"

namespace tactus {

/// The kernels of a run, how far they are from their bounds, and why the devices idled.
struct KernelAnswer {
  KernelReport report;
  KernelBounds bounds;
  std::optional<IdleTime> idle;  ///< nothing if the run has no times
};

/// `hardware` is null for the device that the run names.
KernelAnswer answer_kernels(const Run& run, const KernelQuestion& question,
                            const HardwareProfile* hardware = nullptr);

/// The idle time of the steps that a question is about; nothing if the run has no times.
std::optional<IdleTime> idle_time_of(const Run& run, const KernelQuestion& question);

}  // namespace tactus
