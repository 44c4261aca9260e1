#pragma once

#include "compare/compared_run.h"

namespace tactus {

/// Adds how many rows the matrix products of each phase have.
void add_shapes(const Run& run, const Cycles& cycles, Side& side);

}  // namespace tactus
