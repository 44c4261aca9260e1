#pragma once

#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// One self-contained page: the plot, the three tables for any of the machines and either model,
/// filters, the formulas. `other` is the same roofline in the other model.
std::string show_roofline_html(const Roofline& roofline, const Roofline& other,
                               const Catalogue& catalogue);

}  // namespace tactus
