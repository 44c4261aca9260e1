#include "gate/replay/products.h"

#include <algorithm>
#include <array>

#include "cycles/phases/op_dims.h"
#include "run/args/arg_lookup.h"
#include "run/event_view.h"

namespace tactus::gate {
namespace {

bool is_library_call(std::string_view name) {
  return name.starts_with("cublas");
}

bool is_product_op(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOps = {"aten::mm",         "aten::addmm",
                                                    "aten::linear",     "aten::matmul",
                                                    "aten::_scaled_mm", "aten::_int_mm"};
  return std::find(kOps.begin(), kOps.end(), name) != kOps.end();
}

/// By place in `rows`, which are ascending; 0 where it is not known.
std::vector<std::int64_t> product_rows(const Run& run, const std::vector<std::uint32_t>& rows) {
  std::vector<std::int64_t> out(rows.size(), 0);
  const std::vector<std::optional<Value>> dims = args_of_slices(run, rows, "Input Dims");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!dims[i] || dims[i]->type != ValueType::kJson) continue;
    const std::string_view text = run.strings[StringId(static_cast<std::uint64_t>(dims[i]->raw))];
    if (const std::optional<Product> product = product_of(parse_op_dims(text))) {
      out[i] = product->rows;
    }
  }
  return out;
}

}  // namespace

std::unordered_map<std::uint32_t, std::vector<TracedProduct>> read_products(const Run& run,
                                                                            bool wants_rows) {
  std::vector<TracedProduct> products;
  std::vector<std::uint32_t> tracks;
  std::vector<std::uint32_t> rows;
  for_each_event(run, run.slices, [&](const EventView& event) {
    if (run.kind_of(event.category) != SliceKind::kCpuOp) return;
    const std::string_view name = run.strings[event.name];
    const bool is_call = is_library_call(name);
    if (!is_call && !(wants_rows && is_product_op(name))) return;
    products.push_back({event.start_ns, event.start_ns + event.dur_ns, 0, is_call});
    tracks.push_back(event.track);
    rows.push_back(static_cast<std::uint32_t>(event.row));
  });
  if (wants_rows) {
    const std::vector<std::int64_t> found = product_rows(run, rows);
    for (std::size_t i = 0; i < products.size(); ++i) products[i].rows = found[i];
  }
  std::unordered_map<std::uint32_t, std::vector<TracedProduct>> out;
  for (std::size_t i = 0; i < products.size(); ++i) out[tracks[i]].push_back(products[i]);
  for (auto& [track, of_track] : out) {
    std::stable_sort(
        of_track.begin(), of_track.end(),
        [](const TracedProduct& a, const TracedProduct& b) { return a.begin_ns < b.begin_ns; });
  }
  return out;
}

}  // namespace tactus::gate
