// cuGetProcAddress: how the CUDA runtime, cuBLAS and others find the calls of the driver.
#include <cstring>

#include "standin/driver_types.h"

// Only the addresses are needed here.
#define STANDIN_PLAIN(name) extern "C" int name();
#define STANDIN_STREAM(name) \
  extern "C" int name();     \
  extern "C" int name##_ptsz();
#include "standin/exports.inc"
#undef STANDIN_PLAIN
#undef STANDIN_STREAM

STANDIN_SHOWN int cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                      std::uint64_t flags, int* found);
STANDIN_SHOWN int cuGetProcAddress(const char* symbol, void** function, int version,
                                   std::uint64_t flags);

namespace {

struct Export {
  const char* symbol;
  void* call;
  void* per_thread;  ///< null: there is only one
};

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

const Export kExports[] = {
#define STANDIN_PLAIN(name) {#name, address(name), nullptr},
#define STANDIN_STREAM(name) {#name, address(name), address(name##_ptsz)},
#include "standin/exports.inc"
};

constexpr std::uint64_t kPerThreadDefaultStream = 2;
constexpr int kSymbolFound = 0;
constexpr int kSymbolNotFound = 1;
constexpr int kNewElapsedTime = 12080;  // [version] of cuEventElapsedTime_v2
constexpr int kNewProcAddress = 12000;
constexpr int kNewGraphEdges = 12030;

/// "cuMemAlloc_v2" is "cuMemAlloc", version 2.
bool is_version_of(const char* symbol, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(symbol, name, length) == 0 &&
         (symbol[length] == '\0' || std::strncmp(symbol + length, "_v", 2) == 0);
}

/// Programs that were built for an older version keep the older call.
bool is_too_new(const char* symbol, int version) {
  return (std::strcmp(symbol, "cuEventElapsedTime_v2") == 0 && version < kNewElapsedTime) ||
         (std::strcmp(symbol, "cuGraphGetEdges_v2") == 0 && version < kNewGraphEdges);
}

const Export* find_export(const char* name, int version) {
  const Export* best = nullptr;
  for (const Export& candidate : kExports) {
    if (!is_version_of(candidate.symbol, name) || is_too_new(candidate.symbol, version)) continue;
    if (best == nullptr || std::strlen(candidate.symbol) > std::strlen(best->symbol)) {
      best = &candidate;
    }
  }
  return best;
}

}  // namespace

STANDIN_SHOWN int cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                      std::uint64_t flags, int* found) {
  if (symbol == nullptr || function == nullptr) return standin::kInvalidValue;
  void* call = nullptr;
  if (std::strcmp(symbol, "cuGetProcAddress") == 0) {
    call = version < kNewProcAddress ? address(cuGetProcAddress) : address(cuGetProcAddress_v2);
  } else if (const Export* known = find_export(symbol, version)) {
    const bool per_thread = (flags & kPerThreadDefaultStream) != 0 && known->per_thread != nullptr;
    call = per_thread ? known->per_thread : known->call;
  }
  *function = call;
  if (found != nullptr) *found = call != nullptr ? kSymbolFound : kSymbolNotFound;
  return call != nullptr ? standin::kSuccess : standin::kNotFound;
}

STANDIN_SHOWN int cuGetProcAddress(const char* symbol, void** function, int version,
                                   std::uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
