#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/launch_groups.h"
#include "kernels/table/table_reading.h"

namespace tactus {

/// Full names, the most frequent first.
std::vector<std::string> names_by_count(TableRows rows);

/// What a layer of the model launches, in the usual order of models. Nothing if layers and passes
/// are unknown.
std::optional<LaunchGroup> decoder_layer(const TableReading& reading);

}  // namespace tactus
