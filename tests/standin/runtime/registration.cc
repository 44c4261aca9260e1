// What the start of a program tells the runtime: its fat binaries and which of its functions stand
// for which kernels. A binary is loaded when its first kernel is needed.
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime.h"

namespace runtime {
namespace {

struct Wrapper {  ///< what nvcc puts around a fat binary
  int magic;
  int version;
  const void* image;
  void* file;
};

struct Binary {
  const void* image = nullptr;
  Handle library = nullptr;
};

struct Kernel {
  Binary* binary = nullptr;
  std::string name;
  Handle handle = nullptr;
};

struct Registered {
  std::recursive_mutex lock;
  std::unordered_map<const void*, Kernel> kernels;
};

Registered& registered() {
  static Registered* const all = new Registered;
  return *all;
}

/// A launch between its two halves: `kernel<<<...>>>` and the function that nvcc makes for it.
struct Configuration {
  Size3 grid, block;
  std::size_t shared_bytes;
  Handle stream;
};
thread_local Configuration configured;

}  // namespace

int find_kernel(const void* host_function, Handle& kernel) {
  Registered& all = registered();
  const std::lock_guard lock(all.lock);
  const auto found = all.kernels.find(host_function);
  if (found == all.kernels.end()) return kInvalidDeviceFunction;
  Kernel& known = found->second;
  if (known.handle == nullptr) {
    if (const int result = enter(); result != kSuccess) return result;
    const Handle none = nullptr;
    Binary& binary = *known.binary;
    if (binary.library == nullptr) {
      const int result =
          DRIVER(cuLibraryLoadData, &binary.library, binary.image, none, none, 0u, none, none, 0u);
      if (result != kSuccess) return result;
    }
    const int result =
        DRIVER(cuLibraryGetKernel, &known.handle, binary.library, known.name.c_str());
    if (result != kSuccess) return result;
  }
  kernel = known.handle;
  return kSuccess;
}

}  // namespace runtime

using namespace runtime;

RUNTIME_SHOWN void** __cudaRegisterFatBinary(const void* wrapper) {
  auto* binary = new Binary{.image = static_cast<const Wrapper*>(wrapper)->image};
  return reinterpret_cast<void**>(binary);
}

RUNTIME_SHOWN void __cudaRegisterFatBinaryEnd(void**) {}

/// The process ends: the driver may be gone already.
RUNTIME_SHOWN void __cudaUnregisterFatBinary(void**) {}

RUNTIME_SHOWN void __cudaRegisterFunction(void** binary, const char* host_function, char*,
                                          const char* name, int, void*, void*, void*, void*, int*) {
  Registered& all = registered();
  const std::lock_guard lock(all.lock);
  all.kernels[host_function] = {.binary = reinterpret_cast<Binary*>(binary), .name = name};
}

/// Kernels are scripted: nothing reads their variables.
RUNTIME_SHOWN void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int,
                                     int) {}

RUNTIME_SHOWN unsigned __cudaPushCallConfiguration(Size3 grid, Size3 block,
                                                   std::size_t shared_bytes, Handle stream) {
  configured = {grid, block, shared_bytes, stream};
  return 0;
}

RUNTIME_SHOWN int __cudaPopCallConfiguration(Size3* grid, Size3* block, std::size_t* shared_bytes,
                                             Handle* stream) {
  *grid = configured.grid;
  *block = configured.block;
  *shared_bytes = configured.shared_bytes;
  *stream = configured.stream;
  return kSuccess;
}

RUNTIME_SHOWN int __cudaGetKernel(Handle* kernel, const void* host_function) {
  return remember(find_kernel(host_function, *kernel));
}
