#pragma once

#include <string_view>

namespace tactus {

/// data/operators.json, as it was when the tool was built.
std::string_view embedded_operators_json();
/// data/generic-operators.json.
std::string_view embedded_generic_operators_json();

}  // namespace tactus
