#pragma once

#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// Everything, unrounded: rows (one per shape, values by machine), operators, scores, machines,
/// formulas.
std::string show_roofline_json(const Roofline& roofline);

}  // namespace tactus
