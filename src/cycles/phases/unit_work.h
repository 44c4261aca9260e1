#pragma once

#include <cstdint>
#include <vector>

#include "cycles/phases/step_work.h"
#include "names/decoded_names.h"
#include "run/run.h"

namespace tactus {

/// Kernels in the order in which they ran, each with the unit (pass or step) that it belongs to.
struct UnitKernels {
  std::vector<std::uint32_t> rows;   ///< of run.slices
  std::vector<std::uint32_t> names;  ///< StringId values
  std::vector<std::uint32_t> units;  ///< ascending where rows of one stream follow each other
  std::size_t count = 0;             ///< of units
};

/// What each unit works on, from shapes of attention and of products, else from launch grids, else
/// from the names of attention kernels. A model that does not generate has no phases.
std::vector<StepWork> work_of_units(const Run& run, const UnitKernels& kernels,
                                    DecodedNames& names);

}  // namespace tactus
