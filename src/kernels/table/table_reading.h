#pragma once

#include <optional>

#include "kernels/table/layer_counts.h"
#include "kernels/table/table_phases.h"
#include "kernels/table/table_rows.h"

namespace tactus {

/// A table and its counts.
struct TableReading {
  TableRows rows;
  std::optional<std::int64_t> sampled_steps;
  std::optional<LayerCounts> counts;
  GemmCounts gemms;  ///< this and the next only if there are counts
  TablePhases phases;
};
TableReading read_table(const KernelTable& table, std::span<const KernelName> names);

/// The expected counts, given layers and passes.
std::vector<Identity> find_identities(const TableReading& reading);

}  // namespace tactus
