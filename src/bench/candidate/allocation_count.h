#pragma once

#include <cstdint>

namespace tactus {

/// Starts to count how often the code of a library from dlopen() asks for memory: in its table of
/// outside functions, malloc and similar are replaced by functions that count and pass on.
/// Allocations inside other libraries are not seen.
void count_allocations_of(void* library);

/// Count since then, over all such libraries.
std::int64_t counted_allocations();

/// Memory of this process that calls may take; the difference before and after shows it.
struct CallMemory {
  std::int64_t heap_bytes = 0;
  std::int64_t allocations = 0;  ///< counted_allocations()
  std::int64_t page_faults = 0;
};
CallMemory call_memory();

}  // namespace tactus
