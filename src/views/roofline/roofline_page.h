#pragma once

#include <string_view>

namespace tactus {

/// The style of the roofline's page, besides kPageStyle.
extern const std::string_view kRooflineStyle;

/// Its script: fill the tables and move the dots for the chosen machine, model and filters.
extern const std::string_view kRooflineScript;

}  // namespace tactus
