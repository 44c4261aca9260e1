#pragma once

#include <span>

#include "stats/tests.h"

namespace tactus {

/// Mean and deviation of log(1 + mu): levels are compared by their ratio.
Moments log_moments(std::span<const double> mu);

}  // namespace tactus
