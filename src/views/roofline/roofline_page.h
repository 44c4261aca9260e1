#pragma once

#include <string_view>

namespace tactus {

/// What the roofline's page has beside kPageStyle.
extern const std::string_view kRooflineStyle;

/// What it does: fill the tables and move the dots for the machine, model and filters chosen.
extern const std::string_view kRooflineScript;

}  // namespace tactus
