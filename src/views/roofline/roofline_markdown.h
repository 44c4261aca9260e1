#pragma once

#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// The three tables of the published page: the operators; the roofline of the shape in the middle
/// of each operator's ids; and S of every shape, the operators farthest from their bound first.
std::string show_roofline_markdown(const Roofline& roofline, const Catalogue& catalogue);

}  // namespace tactus
