#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "launches/kernel_instances.h"
#include "names/kernel_name.h"

namespace tactus {

/// Something that may be worth changing, in numbers.
struct Hint {
  std::string kind;  ///< copies, kv_write, fills, small_grids or tails
  std::string text;  ///< a sentence or two: what, how much, what to do
  double share = 0;  ///< of GPU time
  std::int64_t total_ns = 0;
  std::vector<std::string> rows;  ///< the kernels it comes from, largest first
};

/// Hints from names and times.
std::vector<Hint> hints_of_table(const KernelTable& table, std::span<const KernelName> names);

/// Hints that need a trace: grids. `names` are decoded by row of the table, `rows` are those of the
/// table by StringId.
std::vector<Hint> hints_of_trace(const Run& run, const KernelInstances& kernels,
                                 std::span<const KernelName> names,
                                 std::span<const std::uint32_t> rows);

}  // namespace tactus
