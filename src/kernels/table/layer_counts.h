#pragma once

#include <cstdint>
#include <optional>

#include "kernels/table/table_rows.h"

namespace tactus {

/// How many passes the kernels of the table made through the model, and its number of layers.
struct LayerCounts {
  std::int64_t layers = 0;
  std::int64_t passes = 0;

  std::int64_t layer_passes() const { return layers * passes; }
};

/// Finds both from counts alone. A kernel that a layer launches once (attention, activation, rope)
/// counts layers x passes. Norms count (k x layers + 1) x passes, because one more comes after the
/// last layer. So passes are the remainder of the norms modulo layers x passes.
std::optional<LayerCounts> count_layers(const TableRows& rows);

/// The linear layers of the model.
struct GemmCounts {
  std::int64_t in_passes = 0;
  std::int64_t at_start_up = 0;  ///< of another data type than the model, and too few to be part of
                                 ///< it
  std::optional<std::int64_t> per_layer;
};

/// Each pass has one more after the last layer, for the logits.
GemmCounts count_gemms(const TableRows& rows, const LayerCounts& counts);

/// How many times tokens were sampled.
std::optional<std::int64_t> count_sampled_steps(const TableRows& rows);

}  // namespace tactus
