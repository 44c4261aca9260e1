#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/counter_table.h"
#include "run/run.h"

namespace tactus {

/// The samples of one counter in one place, by time and in the unit of the counter table. Cores,
/// disks and network cards of the host are combined: their mean, or their sum for rates.
struct SampleSeries {
  const CounterFact* fact = nullptr;
  HostId host;
  DeviceId device;                  ///< not valid for counters of the host
  std::optional<std::int64_t> pid;  ///< of counters of one process
  std::vector<std::int64_t> times_ns;
  std::vector<double> values;
  std::int64_t interval_ns = 0;  ///< the usual one between samples; 0 if there is only one

  std::string place;  ///< "GPU 0", "Host"; with the rank or host where that is not clear
  /// The place of the first sample at or after a time.
  std::size_t first_at(std::int64_t time_ns) const;
};

/// All counters of a run that the table knows, by name, device and process. Samples without a
/// number are left out; totals become growth per second.
std::vector<SampleSeries> counter_samples(const Run& run);

/// True if the samples cover that time: one is in it, or on both sides, or not further away than
/// the usual distance between samples.
bool covers(const SampleSeries& series, std::int64_t begin_ns, std::int64_t end_ns);

/// The value of a counter from `begin_ns` to `end_ns`.
struct CounterReading {
  double mean = 0;
  double spread = 0;    ///< standard deviation of the samples, or half the change from end to end
  bool is_real = true;  ///< false if it holds fewer than three samples: interpolated between
                        ///< neighbours
};

/// `next` is the place of the first sample at or after `begin_ns`. The series must not be empty.
CounterReading read_counter(const SampleSeries& series, std::int64_t begin_ns, std::int64_t end_ns,
                            std::size_t next);

}  // namespace tactus
