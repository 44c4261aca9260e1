#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace tactus {

/// The argument `key` of many slices at once: one for each of `rows`, which must be ascending.
std::vector<std::optional<Value>> args_of_slices(const Run& run,
                                                 std::span<const std::uint32_t> rows,
                                                 std::string_view key);

}  // namespace tactus
