#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/counter_samples.h"
#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// One counter of one device, one value per cycle: statistics may count each value as one fact.
struct CounterLevels {
  struct Level {
    std::optional<double> mean;  ///< in the fact's unit; nothing if no sample covers the cycle
    std::int64_t samples = 0;    ///< in the cycle; 0: interpolated between the samples before and
                                 ///< after
  };

  const CounterFact* fact = nullptr;
  std::string device;  ///< "GPU 0", "Host"
  std::optional<std::int64_t> pid;
  std::vector<Level> of_cycle;  ///< in the order of Cycles::cycles

  /// The share of cycles that contain a sample.
  double coverage() const;
};

CounterLevels counter_levels(const SampleSeries& series, const Cycles& cycles);
std::vector<CounterLevels> counter_levels(const Run& run, const Cycles& cycles);

/// How much of a run a counter covers.
struct CounterCoverage {
  std::string counter;
  std::string device;
  std::optional<std::int64_t> pid;
  std::int64_t samples = 0;  ///< inside cycles
  double share = 0;          ///< of cycles that contain at least one sample
  /// Cycles without a sample; their value is interpolated between the samples before and after.
  std::int64_t interpolated = 0;
  std::int64_t unknown = 0;  ///< cycles that no sample covers
};

CounterCoverage coverage_of(const SampleSeries& series, const Cycles& cycles);

/// Every counter of the run that the table knows, by name, device and process.
std::vector<CounterCoverage> coverage_of_counters(const Run& run, const Cycles& cycles);

}  // namespace tactus
