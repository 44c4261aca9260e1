#pragma once

#include <cstdint>
#include <vector>

#include "kernels/structure.h"
#include "kernels/table/layer_counts.h"
#include "kernels/table/table_rows.h"

namespace tactus {

/// The batch sizes that CUDA graphs were captured for, and how often each ran before its capture.
struct CaptureSizes {
  std::vector<std::int64_t> sizes;
  std::int64_t passes_per_size = 0;
  bool confirmed = false;  ///< by the batch sizes in kernel names, not only by the number of passes

  bool empty() const { return sizes.empty(); }
};

/// Passes that are not for capture, by the batch bin that they may be in.
struct OtherPasses {
  std::int64_t prefill = 0;
  std::int64_t decode = 0;
};

/// Finds the sizes from the number of passes for capture: engines capture the first sizes of a
/// known list. Empty if no list fits.
CaptureSizes find_capture_sizes(const KernelTable& table, const TableRows& rows,
                                const LayerCounts& counts, std::int64_t capture_passes,
                                const OtherPasses& others);

/// FlashAttention-3 prepares a batch with one warp per 31 sequences, rounded up to a power of two:
/// the expected counts of those rows if the sizes are right.
std::vector<Identity> prepare_identities(const TableRows& rows, const LayerCounts& counts,
                                         const CaptureSizes& captures, const OtherPasses& others);

}  // namespace tactus
