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

/// The three tables of the published page: the operators; the roofline of the shape in the middle
/// of each operator's ids; and S of every shape, the operators farthest from their bound first.
std::string show_roofline_markdown(const Roofline& roofline, const Catalogue& catalogue);

/// One line per shape and machine, unrounded; unknown values are empty.
std::string show_roofline_csv(const Roofline& roofline);

/// Everything, unrounded: rows (one per shape, values by machine), operators, scores, machines,
/// formulas.
std::string show_roofline_json(const Roofline& roofline);

}  // namespace tactus
