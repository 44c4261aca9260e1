#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/kernel_report.h"

namespace tactus {

/// A figure of a kernel: a column of the table, of the CSV and of the JSON.
struct KernelColumn {
  std::string_view key;   ///< in CSV and JSON: "p90_ns"
  std::string_view head;  ///< in the table: "P90"; empty: not shown there
  std::optional<std::int64_t> (*value)(const KernelRow& row) = nullptr;
  Known needs = Known::kTotals;  ///< of a row that sums up several kernels
  bool is_count = false;         ///< else a time
  bool in_folded_table = true;   ///< shown in the table of --by, too
  int rank = 0;                  ///< in a narrow table the largest go first
};

/// In the order of the output. The share of the time comes before them, the name after them.
std::span<const KernelColumn> kernel_columns();

/// None if the row does not know it.
std::optional<std::int64_t> value_of(const KernelColumn& column, const FoldedRow& row);

/// "31.400 μs", "2"; "-" if it is unknown.
std::string table_cell(const KernelColumn& column, const std::optional<std::int64_t>& value);

/// "time_pct,total_ns,..." and the same of a row.
std::string csv_head();
std::string csv_cells(const KernelRow& row);
std::string csv_cells(const FoldedRow& row);

}  // namespace tactus
