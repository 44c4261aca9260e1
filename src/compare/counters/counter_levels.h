#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/counters/counter_samples.h"
#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// One counter of one device, one value a cycle: what statistics may count as one fact each.
struct CounterLevels {
  struct Level {
    std::optional<double> mean;  ///< in the fact's unit; nothing where no sample tells of the cycle
    std::int64_t samples = 0;    ///< in the cycle; 0: read between those before and after
  };

  const CounterFact* fact = nullptr;
  std::string device;  ///< "GPU 0", "Host"
  std::optional<std::int64_t> pid;
  std::vector<Level> of_cycle;  ///< in the order of Cycles::cycles

  /// The share of cycles that have a sample of their own.
  double coverage() const;
};

CounterLevels counter_levels(const SampleSeries& series, const Cycles& cycles);
std::vector<CounterLevels> counter_levels(const Run& run, const Cycles& cycles);

/// How much of a run a counter saw.
struct CounterCoverage {
  std::string counter;
  std::string device;
  std::optional<std::int64_t> pid;
  std::int64_t samples = 0;  ///< inside cycles
  double share = 0;          ///< of cycles with at least one sample of their own
  /// Cycles without one, whose value is read between the samples before and after.
  std::int64_t interpolated = 0;
  std::int64_t unknown = 0;  ///< cycles that no sample tells of
};

CounterCoverage coverage_of(const SampleSeries& series, const Cycles& cycles);

/// Every counter of the run that the table knows, by name, device and process.
std::vector<CounterCoverage> coverage_of_counters(const Run& run, const Cycles& cycles);

}  // namespace tactus
