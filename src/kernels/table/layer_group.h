#pragma once

#include <optional>

#include "kernels/launch_groups.h"
#include "kernels/table/table_reading.h"

namespace tactus {

/// A place in a group that these rows take: full names, those that ran most first.
GroupMember member_of(TableRows rows, bool optional = false);

/// What a layer of the model launches, in the order in which models do it. Nothing if layers and
/// passes are not known.
std::optional<LaunchGroup> decoder_layer(const TableReading& reading);

}  // namespace tactus
