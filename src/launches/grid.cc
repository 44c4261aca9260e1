#include "launches/grid.h"

#include <charconv>
#include <unordered_map>

#include "run/args/arg_lookup.h"

namespace tactus {

std::int64_t blocks_in(std::string_view grid) {
  std::int64_t blocks = 1;
  const char* at = grid.data();
  const char* const end = at + grid.size();
  int dimensions = 0;
  while (at < end) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size <= 0 || size > INT32_MAX || ++dimensions > 3) return 0;
    blocks = blocks > INT32_MAX ? blocks : blocks * size;
    at = next;
  }
  return dimensions == 0 ? 0 : blocks;
}

std::vector<std::int64_t> blocks_of_kernels(const Run& run, std::span<const std::uint32_t> rows) {
  const std::vector<std::optional<Value>> grids = args_of_slices(run, rows, "grid");
  std::unordered_map<std::int64_t, std::int64_t> blocks_of;  // by StringId of the grid
  std::vector<std::int64_t> blocks(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!grids[i] || grids[i]->type != ValueType::kJson) continue;
    const auto [at, is_new] = blocks_of.try_emplace(grids[i]->raw);
    if (is_new) {
      at->second = blocks_in(run.strings[StringId(static_cast<std::uint64_t>(grids[i]->raw))]);
    }
    blocks[i] = at->second;
  }
  return blocks;
}

}  // namespace tactus
