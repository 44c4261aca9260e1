#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::agent {

/// Descriptors of the agent are out of the way of programs that count on low numbers.
int to_high_descriptor(int fd);
/// A memory file of a size that nobody can change; -1 if there is none.
int make_memory_file(const char* name, std::size_t bytes);

/// A number in a variable of the environment.
std::int32_t number_in(const char* variable, std::int32_t otherwise);

}  // namespace tactus::agent
