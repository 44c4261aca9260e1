#pragma once

#include "compare/runs/compared_run.h"

namespace tactus {

/// Adds how many rows the matrix products of each phase have.
void add_shapes(const Run& run, const Cycles& cycles, ComparedRun& side);

}  // namespace tactus
