#pragma once

#include "compare/comparison.h"
#include "compare/counter_shifts.h"
#include "compare/runs/compared_run.h"
#include "compare/thresholds.h"

namespace tactus {

/// A statement about a pair of runs.
struct Finding {
  VerdictClass verdict = VerdictClass::kUnknown;
  std::string resource;
  std::string device;
  Confidence confidence = Confidence::kMedium;
  std::string text;  ///< a clause: "the CPU's clock fell to 0.26 of what it was (3500 to 900 MHz)"
};

/// The results of a comparison so far.
struct Facts {
  const ComparedRun& normal;
  const ComparedRun& abnormal;
  const Thresholds& thresholds;
  const Comparison& comparison;
  const std::vector<CounterShift>& shifts;
};

/// Another batch or other shapes: the work itself changed.
std::optional<Finding> find_workload_change(const Facts& facts);
/// Other kernels do the same work.
std::optional<Finding> find_kernel_change(const Facts& facts);
/// The host waits for the device more often.
std::optional<Finding> find_added_sync(const Facts& facts);
/// Resources that moved in their harmful direction, the surest first.
std::vector<Finding> find_resources(const Facts& facts);

}  // namespace tactus
