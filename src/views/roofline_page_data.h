#pragma once

#include <string>

#include "bounds/roofline.h"

namespace tactus {

/// What the script of the page works on: shapes with their values by model and machine. Fit to
/// stand inside a script element.
std::string roofline_page_data(const Roofline& strict, const Roofline& catalogue);

}  // namespace tactus
