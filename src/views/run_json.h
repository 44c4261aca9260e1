#pragma once

#include <nlohmann/json.hpp>

#include "run/run.h"

namespace tactus {

using Json = nlohmann::ordered_json;

/// Adds what every document carries: `dropped`, `repaired` and `warnings`.
void add_account(Json& document, const Run& run);

/// The text of a document, ending in a newline.
std::string to_text(const Json& document);

}  // namespace tactus
