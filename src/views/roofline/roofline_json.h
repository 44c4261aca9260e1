#pragma once

#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// All there is, unrounded: rows (a shape each, values by machine), operators, scores, machines,
/// formulas.
std::string show_roofline_json(const Roofline& roofline);

}  // namespace tactus
