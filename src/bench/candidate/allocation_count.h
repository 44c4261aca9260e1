#pragma once

#include <cstdint>

namespace tactus {

/// From now on counts how often the code of a library that dlopen() gave asks for memory: in its
/// table of outside functions, malloc and its kin are replaced by ones that count and pass on. What
/// other libraries take on its behalf is not seen.
void count_allocations_of(void* library);

/// Since then, of all such libraries.
std::int64_t counted_allocations();

}  // namespace tactus
