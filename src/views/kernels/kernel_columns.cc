#include "views/kernels/kernel_columns.h"

#include <fmt/format.h>

#include "views/common/numbers.h"

namespace tactus {
namespace {

template <auto kMember>
std::optional<std::int64_t> member(const KernelRow& row) {
  return row.*kMember;
}

constexpr KernelColumn kColumns[] = {
    {.key = "total_ns", .head = "Total", .value = member<&KernelRow::total_ns>, .rank = 1},
    {.key = "instances",
     .head = "Count",
     .value = member<&KernelRow::instances>,
     .is_count = true,
     .rank = 3},
    {.key = "avg_ns", .head = "Avg", .value = member<&KernelRow::avg_ns>, .rank = 5},
    {.key = "med_ns",
     .head = "Med",
     .value = member<&KernelRow::med_ns>,
     .needs = Known::kAll,
     .rank = 7},
    {.key = "p90_ns",
     .head = "P90",
     .value = member<&KernelRow::p90_ns>,
     .needs = Known::kAll,
     .in_folded_table = false,
     .rank = 11},
    {.key = "p99_ns",
     .head = "P99",
     .value = member<&KernelRow::p99_ns>,
     .needs = Known::kAll,
     .rank = 9},
    {.key = "min_ns", .value = member<&KernelRow::min_ns>, .needs = Known::kRange},
    {.key = "max_ns",
     .head = "Max",
     .value = member<&KernelRow::max_ns>,
     .needs = Known::kRange,
     .rank = 10},
    {.key = "stddev_ns", .value = member<&KernelRow::stddev_ns>, .needs = Known::kAll},
};

/// The share, and what `value` returns for each column; nothing for what is unknown.
template <class Value>
std::string cells_of(double time_pct, const Value& value) {
  std::string cells = fmt::format("{:.4f}", time_pct);
  for (const KernelColumn& column : kColumns) {
    cells += ',';
    if (const std::optional<std::int64_t> known = value(column)) cells += std::to_string(*known);
  }
  return cells;
}

}  // namespace

std::span<const KernelColumn> kernel_columns() {
  return kColumns;
}

std::optional<std::int64_t> value_of(const KernelColumn& column, const FoldedRow& row) {
  return row.known < column.needs ? std::nullopt : column.value(row.sum);
}

std::string table_cell(const KernelColumn& column, const std::optional<std::int64_t>& value) {
  if (!value) return "-";
  return column.is_count ? format_count(*value) : format_duration(*value);
}

std::string csv_head() {
  std::string head = "time_pct";
  for (const KernelColumn& column : kColumns) head.append(",").append(column.key);
  return head;
}

std::string csv_cells(const KernelRow& row) {
  return cells_of(row.time_pct, [&](const KernelColumn& column) { return column.value(row); });
}

std::string csv_cells(const FoldedRow& row) {
  return cells_of(row.sum.time_pct,
                  [&](const KernelColumn& column) { return value_of(column, row); });
}

}  // namespace tactus
