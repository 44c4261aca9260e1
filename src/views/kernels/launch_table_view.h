#pragma once

#include <cstddef>
#include <string>

#include "kernels/trace/launch_table.h"

namespace tactus {

/// `top` rows (0: all) in lines of at most `width` characters (0: no limit).
std::string show_launches(const LaunchTable& table, std::size_t top, std::size_t width);

}  // namespace tactus
