#include "gate/replay/product_rows.h"

#include <algorithm>
#include <array>

#include "cycles/phases/op_dims.h"
#include "run/args/arg_lookup.h"
#include "run/event_view.h"

namespace tactus::gate {
namespace {

bool is_product_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOps = {"aten::mm",         "aten::addmm",
                                                    "aten::linear",     "aten::matmul",
                                                    "aten::_scaled_mm", "aten::_int_mm"};
  return name.starts_with("cublas") || std::find(kOps.begin(), kOps.end(), name) != kOps.end();
}

}  // namespace

std::unordered_map<std::uint32_t, std::vector<RowsFrom>> product_rows(const Run& run) {
  struct Op {
    std::uint32_t track = 0;
    std::int64_t begin_ns = 0;
  };
  std::vector<Op> ops;
  std::vector<std::uint32_t> rows;
  for_each_event(run, run.slices, [&](const EventView& event) {
    if (run.kind_of(event.category) != SliceKind::kCpuOp) return;
    if (!is_product_name(run.strings[event.name])) return;
    ops.push_back({event.track, event.start_ns});
    rows.push_back(static_cast<std::uint32_t>(event.row));
  });
  const std::vector<std::optional<Value>> dims = args_of_slices(run, rows, "Input Dims");
  std::unordered_map<std::uint32_t, std::vector<RowsFrom>> out;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!dims[i] || dims[i]->type != ValueType::kJson) continue;
    const std::string_view text = run.strings[StringId(static_cast<std::uint64_t>(dims[i]->raw))];
    const std::optional<Product> product = product_of(parse_op_dims(text));
    if (product) out[ops[i].track].push_back({ops[i].begin_ns, product->rows});
  }
  for (auto& [track, products] : out) {
    std::stable_sort(products.begin(), products.end(),
                     [](const RowsFrom& a, const RowsFrom& b) { return a.begin_ns < b.begin_ns; });
  }
  return out;
}

}  // namespace tactus::gate
