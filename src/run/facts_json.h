#pragma once

#include <string>
#include <string_view>

#include "run/run.h"

namespace tactus {

/// Everything of a Run that is not a column or a string, as JSON: sources, processes, tracks,
/// devices, shapes, tallies, warnings and a kernel summary. Strings are named by their ids.
std::string facts_to_json(const Run& run);

/// The inverse. False if the text is not such a document or refers to missing things.
bool facts_from_json(std::string_view json, Run& run);

}  // namespace tactus
