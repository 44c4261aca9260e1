#pragma once

#include <string>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// A line a shape and machine, unrounded; what is unknown is empty.
std::string show_roofline_csv(const Roofline& roofline);

}  // namespace tactus
