#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tactus::perf_data {

/// A case: CASE/normal_perf_data/*_perf_data.csv and CASE/abnormal_perf_data/*_perf_data.csv.
struct CaseFiles {
  std::string identifier;  ///< its folder, relative to the parent of the folder in which it was
                           ///< found
  std::vector<std::string> normal;  ///< paths, in their order
  std::vector<std::string> abnormal;
};

/// The cases in a folder, sorted by path. The folder may be a case itself (or its
/// normal_perf_data). No case is an error.
Result<std::vector<CaseFiles>> find_cases(const std::string& folder);

/// Every `*_perf_data.csv` below a folder, in the order of their paths.
Result<std::vector<std::string>> find_pattern_files(const std::string& folder);

}  // namespace tactus::perf_data
