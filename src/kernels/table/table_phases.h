#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/table/capture_sizes.h"
#include "kernels/table/layer_counts.h"
#include "kernels/table/row_split.h"

namespace tactus {

/// The passes of a table by their purpose.
struct TablePhases {
  std::optional<std::int64_t> prefill;
  std::optional<std::int64_t> decode_steps;  ///< that were sampled, with or without their kernels
                                             ///< here
  std::int64_t decode = 0;                   ///< passes whose kernels are here
  std::int64_t graph_capture = 0;
  std::int64_t unknown = 0;
  bool decode_missing = false;
  std::string decode_missing_why;
  CaptureSizes captures;
  std::vector<PrefillPart> prefill_gemms;
  std::vector<PrefillPart> other_prefill_parts;
};

TablePhases find_phases(const KernelTable& table, const TableRows& rows, const LayerCounts& counts,
                        std::optional<std::int64_t> gemms_per_layer,
                        std::optional<std::int64_t> sampled_steps);

}  // namespace tactus
