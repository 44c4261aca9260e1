#pragma once

#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// One line per shape and machine, unrounded; unknown values are empty.
std::string show_roofline_csv(const Roofline& roofline);

}  // namespace tactus
