#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

namespace tactus {

// The classic comparison report, number for number (see docs/compare.md).

/// A role: the patterns of one process.
struct ClassicRole {
  std::string label;  ///< "normal", "abnormal_pid_842126"
  const Run* run = nullptr;
  std::int64_t pid = 0;
  std::optional<std::string> host;  ///< only rows of this host; none: of any
};

/// One function, metric and device in both roles.
struct ClassicRow {
  std::string function;
  std::string metric;
  std::string device;
  double suspicion = 0;
  double beta[2] = {0, 0};
  double beta_z = 0;
  double beta_p = 1;
  double beta_u_p = 1;
  double mu[2] = {0, 0};
  double mu_z = 0;
  double log_mu_z = 0;
  double mu_p = 1;
  double mu_u_p = 1;
};

struct ClassicReport {    // NOLINT(bugprone-reserved-identifier): names in what clang generates
  std::string title;      ///< the first heading, without the marks
  std::string file_stem;  ///< "..._pid923229_strict_comparison"
  std::string labels[2];
  std::vector<double> cycle_us[2];  ///< of distinct cycles, descending; unknown ones (NaN) last
  std::vector<ClassicRow> rows;     ///< by suspicion, then function, metric, device
};

/// The rows and cycles; title and file stem are left to the caller.
ClassicReport compare_classic(const ClassicRole& normal, const ClassicRole& abnormal);

}  // namespace tactus
