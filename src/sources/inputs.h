#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tactus {

/// The format of an input, from its first bytes.
enum class InputFormat : unsigned char {
  kTact,
  kTrace,  ///< Chrome or Kineto JSON
  kNsysDatabase,
  kNsysSummary,
  kPatterns,         ///< *_perf_data.csv
  kPatternCounters,  ///< *_counters_data.csv
  kCounterSamples,   ///< timestamp_ns,counter,device,value
  kUnknown,
};

/// By its first bytes; a CSV file with missing columns, by its name.
InputFormat format_of(std::string_view head, std::string_view path);

/// Replaces folders by the inputs in them, sorted by name; "-" and files stay. If a folder has
/// inputs of several stages, the earliest is used: traces, else patterns, else tables.
Result<std::vector<std::string>> expand_folders(const std::vector<std::string>& inputs);

/// The counters beside an input: X.counters.csv[.gz] beside X.json[.gz|.zst] and
/// X_counters_data.csv beside X_perf_data.csv.
std::optional<std::string> counters_beside(const std::string& input);

/// 3 for a file such as "engine-TP-3.trace.json.gz" or "rank3.json".
std::optional<std::int64_t> rank_in_name(const std::string& path);

}  // namespace tactus
