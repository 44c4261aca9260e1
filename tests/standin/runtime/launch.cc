#include "runtime.h"

using namespace runtime;

namespace {

struct LaunchConfig {  ///< cudaLaunchConfig_t
  Size3 grid, block;
  std::size_t shared_bytes;
  Handle stream;
  void* attributes;
  unsigned attribute_count;
};

struct DriverConfig {  ///< CUlaunchConfig
  Size3 grid, block;
  unsigned shared_bytes;
  Handle stream;
  void* attributes;
  unsigned attribute_count;
};

struct FunctionAttributes {  ///< cudaFuncAttributes
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int threads_per_block, registers, ptx_version, binary_version, caches;
  int most_dynamic_shared, carveout;
  int cluster_must_be_set, cluster[3], cluster_policy, other_cluster_allowed;
  int reserved[16];
};

int launch(Handle kernel, Size3 grid, Size3 block, void** args, std::size_t shared_bytes,
           Handle stream) {
  void** const no_extra = nullptr;
  return IN_CONTEXT(cuLaunchKernel, kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                    static_cast<unsigned>(shared_bytes), stream, args, no_extra);
}

}  // namespace

RUNTIME_SHOWN int __cudaLaunchKernel(Handle kernel, Size3 grid, Size3 block, void** args,
                                     std::size_t shared_bytes, Handle stream) {
  return launch(kernel, grid, block, args, shared_bytes, stream);
}

RUNTIME_SHOWN int cudaLaunchKernel(const void* function, Size3 grid, Size3 block, void** args,
                                   std::size_t shared_bytes, Handle stream) {
  Handle kernel = nullptr;
  if (const int result = find_kernel(function, kernel); result != kSuccess) return remember(result);
  return launch(kernel, grid, block, args, shared_bytes, stream);
}

RUNTIME_SHOWN int cudaLaunchCooperativeKernel(const void* function, Size3 grid, Size3 block,
                                              void** args, std::size_t shared_bytes,
                                              Handle stream) {
  Handle kernel = nullptr;
  if (const int result = find_kernel(function, kernel); result != kSuccess) return remember(result);
  return IN_CONTEXT(cuLaunchCooperativeKernel, kernel, grid.x, grid.y, grid.z, block.x, block.y,
                    block.z, static_cast<unsigned>(shared_bytes), stream, args);
}

RUNTIME_SHOWN int cudaLaunchKernelExC(const LaunchConfig* config, const void* function,
                                      void** args) {
  Handle kernel = nullptr;
  if (const int result = find_kernel(function, kernel); result != kSuccess) return remember(result);
  const DriverConfig given{
      config->grid,   config->block,      static_cast<unsigned>(config->shared_bytes),
      config->stream, config->attributes, config->attribute_count};
  void** const no_extra = nullptr;
  return IN_CONTEXT(cuLaunchKernelEx, &given, kernel, args, no_extra);
}

RUNTIME_SHOWN int cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
  Handle kernel = nullptr;
  if (const int result = find_kernel(function, kernel); result != kSuccess) return remember(result);
  *attributes = {};
  const auto ask = [&](int id) {
    int value = 0;
    DRIVER(cuFuncGetAttribute, &value, id, kernel);
    return value;
  };
  // The numbers are those of CUfunction_attribute.
  attributes->threads_per_block = ask(0);
  attributes->shared_bytes = static_cast<std::size_t>(ask(1));
  attributes->constant_bytes = static_cast<std::size_t>(ask(2));
  attributes->local_bytes = static_cast<std::size_t>(ask(3));
  attributes->registers = ask(4);
  attributes->ptx_version = ask(5);
  attributes->binary_version = ask(6);
  attributes->most_dynamic_shared = ask(8);
  return kSuccess;
}

RUNTIME_SHOWN int cudaFuncSetAttribute(const void* function, int attribute, int value) {
  Handle kernel = nullptr;
  if (const int result = find_kernel(function, kernel); result != kSuccess) return remember(result);
  return IN_CONTEXT(cuFuncSetAttribute, kernel, attribute, value);
}

RUNTIME_SHOWN int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, std::size_t shared_bytes, unsigned flags) {
  Handle kernel = nullptr;
  if (const int result = find_kernel(function, kernel); result != kSuccess) return remember(result);
  return IN_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, blocks, kernel, threads,
                    shared_bytes, flags);
}
