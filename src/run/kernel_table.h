#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

/// One kernel of a summary: how often it ran and how long. Times in whole ns; averages, medians and
/// standard deviations are cut to whole ns, as the profiler of this format does.
struct KernelRow {
  std::string name;
  std::int64_t instances = 0;
  std::int64_t total_ns = 0;
  std::int64_t avg_ns = 0;
  // A pasted table may leave these out.
  std::optional<std::int64_t> med_ns;
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;
  std::optional<std::int64_t> stddev_ns;  ///< of the sample (n - 1); 0 for one instance
  std::optional<std::int64_t> p90_ns;
  std::optional<std::int64_t> p99_ns;
  double time_pct = 0;       ///< share of the table's total
  std::string typed_source;  ///< the path that an author typed in front of the row
  std::int64_t line = 0;     ///< its line in the input text; 0 if there is no text
  // Of a table with a row per kernel and launch size: x, y, z.
  std::optional<std::array<std::int64_t, 3>> grid;
  std::optional<std::array<std::int64_t, 3>> block;

  bool operator==(const KernelRow&) const = default;
};

/// A note that an author left near a table.
struct TableNote {
  std::string kind;  ///< traceback, table or text
  std::int64_t line = 0;
  std::string text;

  bool operator==(const TableNote&) const = default;
};

/// Kernels with their times, sorted by total time, descending.
struct KernelTable {
  std::vector<KernelRow> rows;
  std::int64_t total_ns = 0;
  /// If these are the top rows of a larger table: the time of all, as far as the shares show it.
  std::optional<std::int64_t> whole_ns;
  std::vector<TableNote> notes;

  bool operator==(const KernelTable&) const = default;
};

}  // namespace tactus
