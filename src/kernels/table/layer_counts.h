#pragma once

#include <cstdint>
#include <optional>

#include "kernels/table/table_rows.h"

namespace tactus {

/// How often the table's kernels went through the model, and how many layers it has.
struct LayerCounts {
  std::int64_t layers = 0;
  std::int64_t passes = 0;

  std::int64_t layer_passes() const { return layers * passes; }
};

/// Finds both from counts alone. What a layer launches once (attention, activation, rope) counts
/// layers x passes; norms count (k x layers + 1) x passes, for there is one more behind the last
/// layer. So passes are what is left of the norms when they are counted off in layers x passes.
std::optional<LayerCounts> count_layers(const TableRows& rows);

/// The linear layers of the model.
struct GemmCounts {
  std::int64_t in_passes = 0;
  std::int64_t at_start_up = 0;  ///< of another data type than the model, and too few to be in it
  std::optional<std::int64_t> per_layer;
};

/// Each pass has one more behind the last layer, for the logits.
GemmCounts count_gemms(const TableRows& rows, const LayerCounts& counts);

/// How often a token was picked.
std::optional<std::int64_t> count_sampled_steps(const TableRows& rows);

}  // namespace tactus
