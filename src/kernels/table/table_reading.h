#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/launch_groups.h"
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

/// A place in a group that these rows take: full names, those that ran most first.
GroupMember member_of(TableRows rows, bool optional = false);

/// What a layer of the model launches, in the order in which models do it. Nothing if layers and
/// passes are not known.
std::optional<LaunchGroup> decoder_layer(const TableReading& reading);

/// What the names tell of the card and of the libraries' age, a sentence each. Names that tell
/// nothing give none.
std::vector<std::string> find_environment_clues(const TableRows& rows);

}  // namespace tactus
