#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/table/group_recipes.h"
#include "kernels/table/table_analysis.h"
#include "kernels/table/table_reading.h"

namespace tactus {
namespace {

/// A recipe and the rows that it found.
struct Found {
  TableRows head;
  TableRows middle;
  TableRows tail;
};

std::optional<LaunchCall> call_of(const GroupRecipe& recipe, bool is_sglang) {
  if (recipe.sglang_only && !is_sglang) return std::nullopt;
  if (recipe.api.empty() && recipe.op.empty() && recipe.python.empty()) return std::nullopt;
  return LaunchCall{std::string(recipe.api), std::string(recipe.op), std::string(recipe.python)};
}

bool counts_agree(const GroupRecipe& recipe, const Found& found) {
  const std::int64_t calls = instances_of(found.head);
  const std::int64_t tails = instances_of(found.tail);
  if (recipe.middle != nullptr && instances_of(found.middle) != calls) return false;
  if (recipe.tail_repeats) return tails % calls == 0;
  return recipe.tail_optional ? tails <= calls : tails == calls;
}

/// "2368 times (5 rows)"
std::string counted(const TableRows& rows) {
  const std::int64_t count = instances_of(rows);
  return rows.size() == 1 ? fmt::format("{} times", count)
                          : fmt::format("{} times ({} rows)", count, rows.size());
}

std::string counts_text(const GroupRecipe& recipe, const Found& found) {
  std::string text = "The first kernel ran " + counted(found.head);
  if (recipe.middle != nullptr) text += ", the second " + counted(found.middle);
  if (!found.tail.empty()) text += ", the last " + counted(found.tail);
  return text;
}

std::optional<LaunchGroup> cook(const GroupRecipe& recipe, const TableRows& rows, bool is_sglang) {
  Found found{rows_where(rows, recipe.head), {}, rows_where(rows, recipe.tail)};
  if (recipe.middle != nullptr) found.middle = rows_where(rows, recipe.middle);
  if (found.head.empty() || (recipe.middle != nullptr && found.middle.empty())) return std::nullopt;
  // If the tail never ran, there is a group only with a middle.
  if (found.tail.empty() && (recipe.middle == nullptr || !recipe.tail_optional)) {
    return std::nullopt;
  }

  const bool agree = counts_agree(recipe, found);
  const std::int64_t tails = instances_of(found.tail);
  LaunchGroup group;
  group.name = recipe.name;
  group.instances = instances_of(found.head);
  group.members.push_back(member_of(found.head));
  if (recipe.middle != nullptr) group.members.push_back(member_of(found.middle));
  if (recipe.tail_optional) group.tail_absent = std::max<std::int64_t>(0, group.instances - tails);
  if (!found.tail.empty()) {
    group.members.push_back(member_of(found.tail, group.tail_absent > 0));
  }
  group.total_ns =
      whole_ns(total_ns_of(found.head) + total_ns_of(found.middle) + total_ns_of(found.tail));
  group.call = call_of(recipe, is_sglang);
  group.intercept_as_one = agree;
  group.evidence = agree ? GroupEvidence::kCounts : GroupEvidence::kRule;
  group.why = counts_text(recipe, found);
  if (agree) {
    group.why +=
        fmt::format(": {}, so holding back the first kernel holds back all.", recipe.because);
  } else {
    group.why +=
        fmt::format(". By their names {}, but the counts do not agree: some ran in other calls.",
                    recipe.because);
  }
  return group;
}

/// Before nvjet, names did not say which GEMM was split; the reduces show that some were.
std::optional<LaunchGroup> unnamed_split_k(const TableRows& rows) {
  const TableRows reduces = rows_of(rows, Family::kSplitKReduce);
  const TableRows gemms = rows_where(rows, [](const TableRow& row) {
    // cuBLAS has its own CUTLASS kernels; other libraries bring GEMMs that need no reduce.
    const std::string_view library = row.name->library;
    const bool from_cublas = library.empty() || library == "cublas" || library == "cutlass";
    return row.family() == Family::kGemm && from_cublas && row.instances() > 1;
  });
  if (reduces.empty() || gemms.empty()) return std::nullopt;
  if (std::any_of(rows.begin(), rows.end(), is_split_k_gemm)) return std::nullopt;
  LaunchGroup group;
  group.name = "split-K GEMM";
  group.members = {member_of(gemms), member_of(reduces)};
  group.instances = instances_of(reduces);
  group.total_ns = whole_ns(total_ns_of(reduces));
  group.call = LaunchCall{"cublasGemmEx", "aten::mm", ""};
  group.intercept_as_one = group.instances <= instances_of(gemms);
  group.evidence = GroupEvidence::kRule;
  group.why = fmt::format(
      "{} reduces ran after as many of the {} GEMMs; their names do not say which. One cuBLAS "
      "call (CUDABlas.cpp) launches the GEMM and then its reduce, so holding back the GEMM holds "
      "back both. The time is that of the reduces alone.",
      group.instances, instances_of(gemms));
  return group;
}

/// The type of a scan, if both names give it: ScanTileState<int, ...>.
std::string_view scanned_type(const TableRow& row) {
  constexpr std::string_view kState = "ScanTileState<";
  const std::string_view name = row.row->name;
  const std::size_t at = name.find(kState);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = name.substr(at + kState.size());
  return rest.substr(0, rest.find_first_of(",>"));
}

/// CUB prepares the state of a scan with a separate kernel: one pair per type.
void add_scans(const TableRows& rows, std::vector<LaunchGroup>& groups) {
  const auto is_init = [](const TableRow& row) { return row.says("DeviceScanInitKernel"); };
  std::multimap<std::pair<std::string_view, std::int64_t>, TableRow> scans;
  for (const TableRow& row : rows) {
    if (row.says("DeviceScanKernel")) scans.insert({{scanned_type(row), row.instances()}, row});
  }
  for (const TableRow& init : rows_where(rows, is_init)) {
    const auto found = scans.find({scanned_type(init), init.instances()});
    if (found == scans.end()) continue;
    const TableRow scan = found->second;
    scans.erase(found);
    LaunchGroup group;
    group.name = "inclusive scan";
    group.members = {member_of({init}), member_of({scan})};
    group.instances = init.instances();
    group.total_ns = whole_ns(total_ns_of({init, scan}));
    group.call = LaunchCall{"at::cuda::cub::inclusive_scan", "aten::cumsum", ""};
    group.intercept_as_one = true;
    group.evidence = GroupEvidence::kCounts;
    group.why = fmt::format(
        "{} x DeviceScanInitKernel = {} x DeviceScanKernel: one call of CUB's scan launches both, "
        "so holding back the first kernel holds back both.",
        init.instances(), scan.instances());
    groups.push_back(std::move(group));
  }
}

}  // namespace

std::vector<LaunchGroup> groups_of_table(const KernelTable& table,
                                         std::span<const KernelName> names) {
  const TableReading reading = read_table(table, names);
  const bool is_sglang = shows_sglang(table);
  std::vector<LaunchGroup> groups;
  if (auto group = unnamed_split_k(reading.rows)) groups.push_back(std::move(*group));
  for (const GroupRecipe& recipe : group_recipes()) {
    if (auto group = cook(recipe, reading.rows, is_sglang)) groups.push_back(std::move(*group));
  }
  add_scans(reading.rows, groups);
  if (auto layer = decoder_layer(reading)) groups.push_back(std::move(*layer));
  return groups;
}

}  // namespace tactus
