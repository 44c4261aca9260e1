#pragma once

#include "compare/side.h"

namespace tactus {

/// Adds the shapes of the inputs of matrix products, by phase, and the layers of a pass.
void add_shapes(const Run& run, const Cycles& cycles, Side& side);

}  // namespace tactus
