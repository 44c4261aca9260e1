#pragma once

#include <cstdint>

namespace tactus {

/// Starts to count how often the code of a library from dlopen() asks for memory: in its table of
/// outside functions, malloc and similar are replaced by functions that count and pass on.
/// Allocations inside other libraries are not seen.
void count_allocations_of(void* library);

/// Count since then, over all such libraries.
std::int64_t counted_allocations();

}  // namespace tactus
