#pragma once

#include <cstddef>
#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// All operators: one line each with the bounds of its middle shape, S, and the score.
std::string show_roofline_text(const Roofline& roofline, std::size_t width);

/// One operator: its formulas, and one line per shape.
std::string show_operator_text(const Roofline& roofline, std::size_t width);

/// One shape: W, Q and AI in both models, and on each machine the bound, what limits it and S.
std::string show_shape_text(const Roofline& strict, const Roofline& catalogue, std::size_t width);

}  // namespace tactus
