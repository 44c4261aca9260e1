#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// The selected kernels, in row order.
struct KernelInstances {
  std::vector<std::uint32_t> rows;   ///< of run.slices
  std::vector<std::uint32_t> names;  ///< StringId values
  std::vector<std::int64_t> durs;    ///< [ns]

  std::size_t size() const { return rows.size(); }
};

/// No row of a table; a row of run.slices is as wide.
inline constexpr std::uint32_t kNoRow = UINT32_MAX;

KernelInstances kernel_instances(const Run& run, const SliceFilter& filter);

/// Only those with `keep` set (one entry per kernel).
KernelInstances only(const KernelInstances& kernels, const std::vector<bool>& keep);

/// Sums up durations by key; rows by total time, equal ones by label. Keys count from 0 to
/// `key_count`; unused keys make no row.
KernelTable sum_up(std::span<const std::uint32_t> keys, std::span<const std::int64_t> durs,
                   std::size_t key_count,
                   const std::function<std::string_view(std::uint32_t)>& label);

/// Kernels by name with their times; rows by total time, equal ones by name.
KernelTable kernels_by_name(const Run& run, const KernelInstances& kernels);
/// The same for all that are wanted. A run that is a kernel summary is given back as it is.
KernelTable summarise_kernels(const Run& run, const SliceFilter& filter);

/// By StringId value: the row of `table` that sums up the kernels of that name, kNoRow for other
/// strings. `table` is that of the kernels.
std::vector<std::uint32_t> rows_of_names(const Run& run, const KernelInstances& kernels,
                                         const KernelTable& table);

}  // namespace tactus
