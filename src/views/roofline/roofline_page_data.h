#pragma once

#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// The data for the script of the page: shapes with their values by model and machine, and their
/// dot in the plot of `drawn`, which is one of the two. Safe inside a script element.
std::string roofline_page_data(const Roofline& strict, const Roofline& catalogue,
                               const Roofline& drawn);

}  // namespace tactus
