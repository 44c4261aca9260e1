#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "measure/measurement.h"

namespace tactus {

/// Classes of work: steps of one phase whose tokens lie within 12% and whose context lies within a
/// factor of 2 are compared with each other. Where tokens are not known, steps that launch the same
/// number of kernels, within 12%, are taken for the same work. They are formed over both runs
/// together.
struct WorkClasses {
  std::vector<std::vector<std::size_t>> of_step;  ///< by side and step
  std::size_t count = 1;
};
WorkClasses work_classes(std::span<const std::vector<const MeasuredStep*>> sides);

}  // namespace tactus
