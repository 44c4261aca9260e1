#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/builder.h"
#include "run/kernel_table.h"
#include "sources/nsys/summary/summary_blocks.h"

namespace tactus::nsys {

/// A row, and the printed precision of the two times that are checked against each other.
struct SummaryRow {
  KernelRow row;
  std::int64_t total_resolution_ns = 1;
  std::int64_t avg_resolution_ns = 1;
};

/// Reads the rows of a table; unreadable and repaired ones are counted.
std::vector<SummaryRow> read_rows(const SummaryTable& table, RunBuilder& builder);

/// Counts the rows that contradict themselves or the table's total: Time against Total Time, Total
/// Time against Avg times Instances, and the order of Min, Med and Max.
struct InconsistentRows {
  std::uint64_t count = 0;
  std::int64_t first_line = 0;
};
InconsistentRows find_inconsistent_rows(const std::vector<SummaryRow>& rows, std::int64_t total_ns);

/// The total that all shares are of, if it is more than that of these rows: then they are the top
/// of a larger table. Nothing if the shares are not of one total.
std::optional<std::int64_t> whole_of_shares(const std::vector<SummaryRow>& rows,
                                            std::int64_t total_ns);

/// The text as valid UTF-8; replacements are counted.
std::string repaired_text(std::string_view text, RunBuilder& builder);

}  // namespace tactus::nsys
