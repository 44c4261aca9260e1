#include "compare/side_shapes.h"

#include <algorithm>

#include "kernels/kernel_instances.h"
#include "kernels/launch_sites.h"
#include "kernels/trace_structure.h"
#include "run/arg_lookup.h"

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

}  // namespace

void add_shapes(const Run& run, const Cycles& cycles, Side& side) {
  DecodedNames names(run);
  side.layers = structure_of_trace(run, {}, names).layers;
  const ProductOps ops = product_ops(run, cycles, names);
  const std::vector<std::optional<Value>> dims = args_of_slices(run, ops.rows, "Input Dims");
  std::array<double, kPhases> cycles_of_phase{};
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.complete) ++cycles_of_phase[static_cast<std::size_t>(cycle.phase)];
  }
  for (std::size_t i = 0; i < ops.rows.size(); ++i) {
    if (!dims[i] || dims[i]->type != ValueType::kJson) continue;
    const Cycle& cycle = cycles.cycles[static_cast<std::size_t>(ops.cycles[i])];
    if (!cycle.complete) continue;
    const auto phase = static_cast<std::size_t>(cycle.phase);
    const StringId text(static_cast<std::uint64_t>(dims[i]->raw));
    side.shapes[phase][std::string(run.strings[text])] += 1 / cycles_of_phase[phase];
  }
}

}  // namespace tactus
