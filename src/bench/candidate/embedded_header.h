#pragma once

#include <string_view>

namespace tactus {

/// include/tactus/operator.h of this version, for candidates that the tool compiles.
std::string_view embedded_operator_header();

}  // namespace tactus
