#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "names/kernel_name.h"
#include "run/kernel_table.h"

namespace tactus {

/// A row of a kernel table with its decoded name.
struct TableRow {
  const KernelRow* row = nullptr;
  const KernelName* name = nullptr;
  std::size_t index = 0;  ///< in the table

  std::int64_t instances() const { return row->instances; }
  Family family() const { return name->family; }
  bool says(std::string_view word) const { return row->name.find(word) != std::string::npos; }
};
using TableRows = std::vector<TableRow>;

/// The rows with usable counts. A row that never ran, or ran more often than any recording holds,
/// is damaged; without such rows, sums and products of counts do not overflow.
TableRows table_rows(const KernelTable& table, std::span<const KernelName> names);

template <class Predicate>
TableRows rows_where(const TableRows& rows, Predicate&& wanted) {
  TableRows out;
  for (const TableRow& row : rows) {
    if (wanted(row)) out.push_back(row);
  }
  return out;
}

TableRows rows_of(const TableRows& rows, Family family);

std::int64_t instances_of(const TableRows& rows);
double total_ns_of(const TableRows& rows);

/// The nearest time that fits.
std::int64_t whole_ns(double ns);

/// GEMM or gemv: what a linear layer launches.
bool is_gemm(const TableRow& row);
/// A norm that also adds the residual.
bool is_fused_norm(const TableRow& row);
/// Attention of prefill or of decode, if the name says it; it may be neither.
bool is_prefill_attention(const TableRow& row);
bool is_decode_attention(const TableRow& row);

/// True if names or notes show SGLang.
bool shows_sglang(const KernelTable& table);

}  // namespace tactus
