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
  std::vector<std::int64_t> times_ns;  ///< of the values, since the start of the run; traces only
  double seconds_per_sample = 0;       ///< 0 if unknown
  std::optional<double> coverage;      ///< share of steps that contain a sample; traces only
};

/// Where the samples of a trace lie beside its steps.
struct SampleRange {
  std::size_t samples = 0;  ///< of counters that the table knows
  std::size_t inside = 0;   ///< of those, while steps ran
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t begin_ns = 0;         ///< of the first step
  std::int64_t end_ns = 0;           ///< of the last one
  std::vector<std::string> unknown;  ///< names that the table does not know
};

struct TraceCounters {
  std::vector<CounterValues> values;  ///< of the known counters, from the first to the last step
  SampleRange range;
};
TraceCounters counter_values(const Run& run, const Measurement& measurement);

/// The counters of patterns: one value per counter, device and cycle, because all functions of a
/// cycle carry the same samples.
std::vector<CounterValues> pattern_counter_values(const Run& run);

}  // namespace tactus
