#include "kernels/table/table_rows.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tactus {
namespace {

constexpr std::int64_t kMostInstances = std::int64_t{1} << 40;

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool names_decode(const TableRow& row) {
  return row.says("Decode") || row.says("decode") || row.says("paged_attention");
}

}  // namespace

TableRows table_rows(const KernelTable& table, std::span<const KernelName> names) {
  TableRows rows;
  const std::size_t count = std::min(table.rows.size(), names.size());
  for (std::size_t i = 0; i < count; ++i) {
    const KernelRow& row = table.rows[i];
    if (row.instances <= 0 || row.instances > kMostInstances) continue;
    rows.push_back({&row, &names[i], i});
  }
  return rows;
}

TableRows rows_of(const TableRows& rows, Family family) {
  return rows_where(rows, [family](const TableRow& row) { return row.family() == family; });
}

std::int64_t instances_of(const TableRows& rows) {
  std::int64_t sum = 0;
  for (const TableRow& row : rows) sum += row.instances();
  return sum;
}

double total_ns_of(const TableRows& rows) {
  double sum = 0;
  for (const TableRow& row : rows) sum += static_cast<double>(row.row->total_ns);
  return sum;
}

std::int64_t whole_ns(double ns) {
  constexpr double kMost = 9.0e18;
  if (!(ns > -kMost)) return std::numeric_limits<std::int64_t>::min();
  if (ns > kMost) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(ns);
}

bool is_gemm(const TableRow& row) {
  return row.family() == Family::kGemm || row.family() == Family::kGemv;
}

bool is_fused_norm(const TableRow& row) {
  return row.family() == Family::kNorm && contains(row.name->op, "add");
}

bool is_prefill_attention(const TableRow& row) {
  return row.family() == Family::kAttention && !row.name->kv_split &&
         row.name->causal.value_or(true) && !names_decode(row);
}

bool is_decode_attention(const TableRow& row) {
  return row.family() == Family::kAttention &&
         (row.name->kv_split || !row.name->causal.value_or(true) || names_decode(row));
}

bool shows_sglang(const KernelTable& table) {
  constexpr std::array<std::string_view, 4> kSigns = {"sglang", "sgl_kernel",
                                                      "write_req_to_token_pool_triton",
                                                      "create_flashinfer_kv_indices_triton"};
  const auto shows = [&](std::string_view text) {
    return std::any_of(kSigns.begin(), kSigns.end(),
                       [&](std::string_view sign) { return contains(text, sign); });
  };
  return std::any_of(
             table.rows.begin(), table.rows.end(),
             [&](const KernelRow& row) { return shows(row.name) || shows(row.typed_source); }) ||
         std::any_of(table.notes.begin(), table.notes.end(),
                     [&](const TableNote& note) { return shows(note.text); });
}

}  // namespace tactus
