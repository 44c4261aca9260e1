#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "counters/counter_table.h"
#include "measure/measurement.h"

namespace tactus {

/// The samples of one counter in one place while steps ran, in the order of time.
struct CounterValues {
  std::string counter;
  std::string device;
  std::optional<std::int64_t> rank;  ///< that uses the device, if known
  std::vector<double> values;
  double seconds_per_sample = 0;   ///< 0 if unknown
  std::optional<double> coverage;  ///< share of steps that contain a sample; traces only
};

/// The known counters of a trace, from the first to the last step.
std::vector<CounterValues> counter_values(const Run& run, const Measurement& measurement);

/// The counters of patterns: one value per counter, device and cycle, because all functions of a
/// cycle carry the same samples.
std::vector<CounterValues> pattern_counter_values(const Run& run);

}  // namespace tactus
