#pragma once

#include <string_view>

namespace tactus {

/// The style of the benchmark's page, besides kPageStyle.
extern const std::string_view kBenchPageStyle;

/// Its script: fold shapes, filter plots and tables, show details under the pointer.
extern const std::string_view kBenchPageScript;

}  // namespace tactus
