#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sources/nsys/database/names.h"

namespace tactus::nsys {

/// Kineto's word for a kind of copy, for example "HtoD", for any word of the database.
std::string copy_word(const EnumLabels& labels, std::int64_t kind);

/// Kineto's word for a kind of memory: "Pinned", "Device".
std::string memory_word(const EnumLabels& labels, std::int64_t kind);

/// Kineto's name for a kind of synchronisation: "Stream Wait Event".
std::string_view sync_word(std::int64_t kind);

/// A call without the CUDA version that Nsight Systems appends: cudaLaunchKernel_v7000 becomes
/// cudaLaunchKernel. The _v2 of cuMemAlloc_v2 is part of the name and stays.
std::string_view without_version(std::string_view call);

}  // namespace tactus::nsys
