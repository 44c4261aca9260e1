#pragma once

#include "measure/measurement.h"

namespace tactus {

/// Names the phase of steps of which nothing in their own recording tells it, as those of a CUDA
/// graph: by the phase of `other` whose steps launch the same kernels with as many blocks. It has
/// to share at least half of them, and more than any other phase does. Steps whose phase only the
/// names of their attention tell get it so too, where the phases of `other` are better known.
void name_phases(const Measurement& other, Measurement& measurement);

}  // namespace tactus
