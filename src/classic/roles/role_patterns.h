#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace tactus {

/// One function, metric and device in one process: one value per row of the patterns.
struct PatternSeries {
  std::string_view function;  ///< these three are texts of the Run
  std::string_view metric;
  std::string_view device;
  std::vector<double> beta_pct;  ///< rows without a value are left out
  std::vector<double> mu_pct;    ///< 0 if the row has no value
  std::int64_t cycles = 0;       ///< distinct ones
};

/// The patterns of one process.
struct RolePatterns {
  std::int64_t pid = 0;
  std::string_view host;
  /// By function, metric and device. Rows without a function or a metric are left out.
  std::vector<PatternSeries> series;
  std::vector<double> cycle_us;  ///< of distinct cycles, descending; unknown ones (NaN) last
  double cycle_us_stddev = 0;    ///< over rows; used to choose the representative of a cluster
};

/// The patterns of a process; with a host, only of that host.
RolePatterns read_role(const Run& run, std::int64_t pid, const std::optional<std::string>& host);

/// The patterns of every process and host of a run, in the order of (pid, host).
std::vector<RolePatterns> read_roles(const Run& run);

/// The processes that a run has patterns of, ascending.
std::vector<std::int64_t> pattern_pids(const Run& run);

}  // namespace tactus
