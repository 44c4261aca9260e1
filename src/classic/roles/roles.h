#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classic/classic_pairing.h"
#include "classic/classic_report.h"

namespace tactus {

struct RoleOptions {
  double similarity_threshold = 5;  ///< roles whose highest suspicion is below it are similar
  double warning_threshold = 50;    ///< pairs above it are marked
  bool fit_threshold = true;
  std::size_t most_reports = 20;  ///< pairs that are reported in full
  unsigned threads = 1;
};

/// Roles that behave alike, and their representative: the one whose cycles vary least.
struct RoleCluster {
  std::size_t representative = 0;
  std::vector<std::size_t> members;  ///< ascending, the representative too
};

/// Two representatives that differ.
struct RolePair {
  std::size_t normal = 0;
  std::size_t abnormal = 0;
  double suspicion = 0;
};

/// Many roles compared with one another.
struct RolesComparison {
  std::vector<ClassicRole> roles;            ///< by label; all indices here refer to these
  std::vector<RoleCluster> clusters;         ///< by their first member
  std::vector<std::size_t> without_metrics;  ///< roles that could not be compared
  std::vector<RolePair> pairs;               ///< the most suspicious first
  std::vector<ClassicReport> reports;        ///< of the first pairs
  double threshold = 0;                      ///< the one used
  bool threshold_fitted = false;
  double warning_threshold = 0;
};

/// Every process and host of every file is a role.
RolesComparison compare_roles(std::span<const PatternFile> files, const RoleOptions& options);

}  // namespace tactus
