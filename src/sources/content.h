#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/run.h"

namespace tactus {

/// What a recording says about the work of devices (of the host, if it has none of devices), or
/// about patterns, as one number. Copies of one recording have the same, whatever their name, their
/// format and the order of their events. 0 if it says nothing.
std::uint64_t content_of(const Run& run);

/// The same for the slices of several inputs of one run. `begins` are their first rows, ascending;
/// each ends where the next one begins.
std::vector<std::uint64_t> contents_of_slices(const Run& run, std::span<const std::size_t> begins);

}  // namespace tactus
