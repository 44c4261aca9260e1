#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::agent {

/// Which engine's step a function of Python is, by its file and its qualified name; 0: none.
std::uint8_t step_function(const char* file, std::size_t file_length, const char* function,
                           std::size_t length);

}  // namespace tactus::agent
