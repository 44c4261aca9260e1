#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/table/table_reading.h"

namespace tactus {
namespace {

bool any_says(const TableRows& rows, std::string_view word) {
  return std::any_of(rows.begin(), rows.end(),
                     [word](const TableRow& row) { return row.says(word); });
}

/// The vector width of PyTorch's fill of 2-byte numbers, if there is such a row:
/// vectorized_elementwise_kernel<(int)8, at::native::FillFunctor<c10::BFloat16>, ...>
std::optional<int> two_byte_fill_width(const TableRows& rows) {
  for (const TableRow& row : rows) {
    const bool two_bytes = row.name->dtype_out == "bf16" || row.name->dtype_in == "bf16" ||
                           row.name->dtype_out == "fp16" || row.name->dtype_in == "fp16";
    if (row.family() == Family::kFill && two_bytes && row.name->vector_width) {
      return row.name->vector_width;
    }
  }
  return std::nullopt;
}

/// Kernels compiled for Ampere; cuBLAS uses them if it has no newer ones.
bool is_ampere_gemm(const TableRow& row) {
  return row.family() == Family::kGemm &&
         (row.says("ampere_") || row.says("cutlass_80_") || row.says("sm80_xmma"));
}

bool is_newer_gemm(const TableRow& row) {
  return row.family() == Family::kGemm &&
         (row.says("nvjet") || row.says("sm90") || row.says("sm100"));
}

bool is_flashinfer_fa2(const TableRow& row) {
  return row.family() == Family::kAttention && row.says("flashinfer") && !row.says("Hopper") &&
         !row.says("sm90") && !row.says("Sm90");
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

void add_card(const TableRows& rows, std::vector<std::string>& clues) {
  const std::optional<int> fill = two_byte_fill_width(rows);
  const TableRows gemms = rows_of(rows, Family::kGemm);
  std::vector<std::string> newer;
  std::vector<std::string> older;
  if (any_says(gemms, "nvjet")) newer.emplace_back("nvjet GEMMs");
  if (any_says(rows, "FlashAttnFwdSm90")) newer.emplace_back("FlashAttention-3 kernels for sm90");
  if (fill == 8) newer.emplace_back("an 8-wide fill of 2-byte numbers");
  if (fill == 4) older.emplace_back("a 4-wide fill of 2-byte numbers");
  const TableRows ampere = rows_where(gemms, is_ampere_gemm);
  if (!ampere.empty() && rows_where(gemms, is_newer_gemm).empty()) {
    older.push_back(fmt::format("{} GEMM rows for Ampere and none for Hopper", ampere.size()));
  }
  if (std::any_of(rows.begin(), rows.end(), is_flashinfer_fa2)) {
    older.emplace_back("FlashInfer's FA2 attention");
  }
  if (!newer.empty()) {
    clues.push_back(fmt::format(
        "The card is a Hopper or Blackwell (compute capability 9.0 or 10.0): the table has {}.",
        joined(newer)));
  } else if (older.size() >= 2) {
    // Each of them alone could be an old library on a new card.
    clues.push_back(
        fmt::format("The card is not of compute capability 9.0 or 10.0, so not an H100, H200 or "
                    "B200: the table has {}.",
                    joined(older)));
  }
}

/// How many template arguments stand behind a word; 0 if there are none.
std::size_t template_arguments(std::string_view name, std::string_view word) {
  std::size_t at = name.find(word);
  if (at == std::string_view::npos) return 0;
  at += word.size();
  if (at >= name.size() || name[at] != '<') return 0;
  std::size_t arguments = 1;
  int depth = 0;
  for (; at < name.size(); ++at) {
    if (name[at] == '<' || name[at] == '(') ++depth;
    if (name[at] == '>' || name[at] == ')') --depth;
    if (name[at] == ',' && depth == 1) ++arguments;
    if (depth == 0) return arguments;
  }
  return 0;
}

void add_cublas(const TableRows& rows, std::vector<std::string>& clues) {
  const TableRows gemms = rows_of(rows, Family::kGemm);
  if (any_says(gemms, "nvjet_sm")) {
    clues.emplace_back("cuBLAS is from CUDA 13 or later: its nvjet GEMMs name the architecture.");
  } else if (any_says(gemms, "nvjet_")) {
    clues.emplace_back("cuBLAS is from CUDA 12: its nvjet GEMMs do not name the architecture.");
  }
  for (const TableRow& row : rows_of(rows, Family::kSplitKReduce)) {
    const std::size_t arguments = template_arguments(row.row->name, "splitKreduce_kernel");
    if (arguments == 15) {
      clues.emplace_back(
          "The 15 template arguments of splitKreduce_kernel point to cuBLAS from CUDA 12.8 or "
          "later.");
      return;
    }
    if (arguments == 14) {
      clues.emplace_back(
          "The 14 template arguments of splitKreduce_kernel point to cuBLAS from CUDA 12.6 or "
          "earlier; later versions have 15.");
      return;
    }
  }
}

void add_cub(const TableRows& rows, std::vector<std::string>& clues) {
  const TableRows scans = rows_of(rows, Family::kScan);
  if (any_says(scans, "Policy1000")) {
    clues.emplace_back("CUB is from CUDA 12.8 or later: its scan knows Policy1000.");
  } else if (any_says(scans, "Policy900")) {
    clues.emplace_back(
        "CUB is from CUDA 12.6 or earlier: the newest policy of its scan is Policy900.");
  }
}

}  // namespace

std::vector<std::string> find_environment_clues(const TableRows& rows) {
  std::vector<std::string> clues;
  add_card(rows, clues);
  add_cublas(rows, clues);
  add_cub(rows, clues);
  return clues;
}

}  // namespace tactus
