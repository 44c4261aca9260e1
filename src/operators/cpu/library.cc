#include "operators/cpu/library.h"

#include <cstdint>

#include "operators/cpu/isa.h"

namespace tactus {
namespace {

std::span<const tactus_entry> best_entries() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return avx512_entries();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_entries();
#endif
  return plain_entries();
}

}  // namespace

const tactus_library_v1& cpu_library() {
  static const std::span<const tactus_entry> entries = best_entries();
  static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "cpu",
                                            entries.data(),
                                            static_cast<std::int32_t>(entries.size())};
  return library;
}

}  // namespace tactus
