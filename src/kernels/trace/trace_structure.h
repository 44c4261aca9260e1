#pragma once

#include "cycles/decoded_names.h"
#include "kernels/structure.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// What the kernels of a trace say about the program that launched them. With several devices, the
/// one with most passes counts: the ranks of a model run the same passes at the same time.
Structure structure_of_trace(const Run& run, const SliceFilter& filter, DecodedNames& names);

}  // namespace tactus
