#pragma once

#include <vector>

#include "counters/counter_samples.h"

namespace tactus {

/// What others use of a device, where a recording has only what all use and what its own process
/// does: the difference, sample by sample. One series per device, none where it was recorded.
std::vector<SampleSeries> foreign_use(const std::vector<SampleSeries>& recorded);

}  // namespace tactus
