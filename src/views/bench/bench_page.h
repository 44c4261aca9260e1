#pragma once

#include <string_view>

namespace tactus {

/// What the benchmark's page has beside kPageStyle.
extern const std::string_view kBenchPageStyle;

/// What it does: fold shapes, filter plots and tables, show what is under the pointer.
extern const std::string_view kBenchPageScript;

}  // namespace tactus
