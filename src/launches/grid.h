#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace tactus {

/// "[132,1,1]" is 132 blocks; 0 for text that is not a grid.
std::int64_t blocks_in(std::string_view grid);

/// The blocks that each kernel was launched with (rows of run.slices, ascending); 0 if unknown.
std::vector<std::int64_t> blocks_of_kernels(const Run& run, std::span<const std::uint32_t> rows);

}  // namespace tactus
