#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tactus {

/// The longest common part of two sequences, as pairs of positions, ascending in both. Very
/// different sequences are aligned only up to `max_differences`; the rest stays without partners.
std::vector<std::pair<std::uint32_t, std::uint32_t>> align(std::span<const std::uint32_t> a,
                                                           std::span<const std::uint32_t> b,
                                                           std::size_t max_differences = 2000);

}  // namespace tactus
