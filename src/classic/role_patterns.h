#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace tactus {

/// What one function, metric and device did in one process: a value for each row of the patterns.
struct PatternSeries {
  std::string_view function;  ///< these three are texts of the Run
  std::string_view metric;
  std::string_view device;
  std::vector<double> beta_pct;  ///< rows that say none are left out
  std::vector<double> mu_pct;    ///< 0 where the row says none
  std::int64_t cycles = 0;       ///< distinct ones
};

/// The patterns of one process.
struct RolePatterns {
  std::int64_t pid = 0;
  std::string_view host;
  /// By function, metric and device. Rows that name no function or no metric are not here.
  std::vector<PatternSeries> series;
  std::vector<double> cycle_us;  ///< of distinct cycles, descending; unknown ones (NaN) last
  double cycle_us_stddev = 0;    ///< over rows, as the representative of a cluster is chosen
};

/// The patterns of a process; on one host only if that is given.
RolePatterns read_role(const Run& run, std::int64_t pid, const std::optional<std::string>& host);

/// The patterns of every process and host of a run, in the order of (pid, host).
std::vector<RolePatterns> read_roles(const Run& run);

/// The processes that a run has patterns of, ascending.
std::vector<std::int64_t> pattern_pids(const Run& run);

}  // namespace tactus
