#include "compare/runs/compared_run_shapes.h"

#include <algorithm>
#include <charconv>

#include "kernels/trace/kernel_instances.h"
#include "kernels/trace/launch_sites.h"
#include "names/decoded_names.h"
#include "run/args/arg_lookup.h"

namespace tactus {
namespace {

/// Rows of the ops that launched products inside a cycle, and the cycle of each.
struct ProductOps {
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> cycles;
};

ProductOps product_ops(const Run& run, const Cycles& cycles, DecodedNames& names) {
  KernelInstances products;
  std::vector<bool> keep;
  const KernelInstances kernels = kernel_instances(run, {});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Family family = names.of(kernels.names[i]).family;
    const bool in_cycle = kernels.rows[i] < cycles.cycle_of_slice.size() &&
                          cycles.cycle_of_slice[kernels.rows[i]] >= 0;
    keep.push_back(in_cycle && (family == Family::kGemm || family == Family::kGemv));
  }
  products = only(kernels, keep);
  const std::vector<LaunchSite> sites = launch_sites(run, products.rows);
  std::vector<std::pair<std::uint32_t, std::int32_t>> found;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].op == kNoRow || sites[i].captured) continue;
    found.emplace_back(sites[i].op, cycles.cycle_of_slice[products.rows[i]]);
  }
  std::sort(found.begin(), found.end());
  ProductOps ops;
  for (const auto& [row, cycle] : found) {
    ops.rows.push_back(row);
    ops.cycles.push_back(cycle);
  }
  return ops;
}

/// The rows of a product with weights from the shapes of its inputs: "[[32,1,4096],[4096,4096]]"
/// has 32. 0 for other products: those inside attention grow with the sequence.
std::int64_t rows_of_product(std::string_view dims) {
  const std::size_t behind = dims.find("],[");
  if (!dims.starts_with("[[") || behind == std::string_view::npos) return 0;
  const std::string_view weights = dims.substr(behind + 3, dims.find(']', behind + 3) - behind - 3);
  if (std::count(weights.begin(), weights.end(), ',') != 1) return 0;
  const std::string_view first = dims.substr(2, dims.find(']') - 2);
  std::int64_t rows = 1;
  std::int64_t last = 1;
  std::size_t count = 0;
  const char* at = first.data();
  const char* const end = at + first.size();
  while (at < end) {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size <= 0 || size > INT32_MAX || ++count > 4) return 0;
    if (count > 1) rows = rows > INT32_MAX ? rows : rows * last;
    last = size;
    at = next < end ? next + 1 : next;
  }
  return count < 2 ? 0 : rows;
}

}  // namespace

void add_shapes(const Run& run, const Cycles& cycles, ComparedRun& side) {
  DecodedNames names(run);
  const ProductOps ops = product_ops(run, cycles, names);
  const std::vector<std::optional<Value>> dims = args_of_slices(run, ops.rows, "Input Dims");
  std::array<double, kPhases> products{};
  for (std::size_t i = 0; i < ops.rows.size(); ++i) {
    if (!dims[i] || dims[i]->type != ValueType::kJson) continue;
    const Cycle& cycle = cycles.cycles[static_cast<std::size_t>(ops.cycles[i])];
    if (!cycle.complete) continue;
    const auto phase = static_cast<std::size_t>(cycle.phase);
    const StringId text(static_cast<std::uint64_t>(dims[i]->raw));
    const std::int64_t rows = rows_of_product(run.strings[text]);
    if (rows == 0) continue;
    side.rows_of_products[phase][std::to_string(rows)] += 1;
    products[phase] += 1;
  }
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    for (auto& [rows, count] : side.rows_of_products[phase]) count /= products[phase];
  }
}

}  // namespace tactus
