#include "run/args/arg_lookup.h"

#include <algorithm>

namespace tactus {
namespace {

/// The place of the key in each shape; -1 in shapes without it.
std::vector<int> field_of_shapes(const Run& run, std::string_view key) {
  std::vector<int> fields(run.shapes.size(), -1);
  for (std::size_t shape = 0; shape < run.shapes.size(); ++shape) {
    for (std::size_t i = 0; i < run.shapes[shape].size(); ++i) {
      if (run.strings[run.shapes[shape][i].key] == key) fields[shape] = static_cast<int>(i);
    }
  }
  return fields;
}

}  // namespace

std::vector<std::optional<Value>> args_of_slices(const Run& run,
                                                 std::span<const std::uint32_t> rows,
                                                 std::string_view key) {
  std::vector<std::optional<Value>> values(rows.size());
  const std::vector<int> fields = field_of_shapes(run, key);
  const bool occurs =
      std::any_of(fields.begin(), fields.end(), [](int field) { return field >= 0; });
  if (!occurs || rows.empty()) return values;
  std::vector<std::size_t> next_row(run.shapes.size(), 0);  // in the shape's argument table
  std::size_t asked = 0;
  run.slices.shape().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> shapes) {
        for (std::size_t i = 0; i < shapes.size() && asked < rows.size(); ++i) {
          const auto shape = static_cast<std::size_t>(shapes[i]);
          const bool known = shape < fields.size();
          const std::size_t arg_row = known ? next_row[shape]++ : 0;
          for (; asked < rows.size() && rows[asked] == first + i; ++asked) {
            if (!known || fields[shape] < 0 || shape >= run.slices.args().size()) continue;
            const ArgTable& table = run.slices.args()[shape];
            if (arg_row >= table.rows) continue;
            const auto field = static_cast<std::size_t>(fields[shape]);
            values[asked] =
                Value{run.shapes[shape][field].type, table.columns[field].get()[arg_row]};
          }
        }
      });
  return values;
}

}  // namespace tactus
