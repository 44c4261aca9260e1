#pragma once

#include <span>
#include <string_view>

#include "names/function_type.h"

namespace tactus {

/// The counters that matter for functions of a type, by the names of the counter table.
std::span<const std::string_view> counters_of(FunctionType type);

}  // namespace tactus
