#pragma once

#include <string>
#include <string_view>

#include "run/run.h"

namespace tactus {

/// Appends a text as a JSON string, quotes included.
void append_json_string(std::string& out, std::string_view text);

/// Appends a value as JSON. A stack is written as its number.
void append_json_value(std::string& out, const StringPool& strings, Value value);

}  // namespace tactus
