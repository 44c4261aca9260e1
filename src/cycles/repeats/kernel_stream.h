#pragma once

#include <cstdint>
#include <vector>

#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// The kernels of one device stream in the order in which they started (equal starts: row order).
struct KernelStream {
  std::uint32_t track = 0;
  std::vector<std::uint32_t> rows;   ///< of run.slices
  std::vector<std::uint32_t> names;  ///< StringId values
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> durs;

  std::size_t size() const { return rows.size(); }
};

/// All streams that have kernels, the one with most of them first.
std::vector<KernelStream> kernel_streams(const Run& run, const SliceFilter& filter);

}  // namespace tactus
