#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/table/layer_counts.h"
#include "kernels/table/table_rows.h"

namespace tactus {

/// A row whose kernels took two kinds of times: few long ones and many short ones.
struct TwoParts {
  double long_avg_ns = 0;
  double short_avg_ns = 0;
};

/// Splits a row, given how many of its kernels were long. Nothing if its average, spread and
/// largest time contradict that number.
std::optional<TwoParts> split_in_two(const KernelRow& row, std::int64_t long_instances);

/// The part of a row that prefill ran.
struct PrefillPart {
  TableRow row;
  std::int64_t instances = 0;
  double avg_ns = 0;
  double rest_avg_ns = 0;  ///< of the row's other instances

  bool whole() const { return instances == row.instances(); }
};

/// The GEMM rows, or parts of them, that prefill ran: the longest ones that together count gemms x
/// layers x prefill passes. Empty if the counts do not match exactly.
std::vector<PrefillPart> find_prefill_gemms(const TableRows& rows, const LayerCounts& counts,
                                            std::int64_t gemms_per_layer,
                                            std::int64_t prefill_passes);

/// The same for all other rows: attention by its name, the rest by count and spread.
std::vector<PrefillPart> find_other_prefill_parts(const TableRows& rows, const LayerCounts& counts,
                                                  std::int64_t prefill_passes);

}  // namespace tactus
