#include <cstring>

#include "standin/event.h"
#include "standin/stream.h"

namespace standin {
namespace {

// The marks of an array `extra`: the arguments are in one buffer.
const std::uintptr_t kBufferEnd = 0;
const std::uintptr_t kBufferPointer = 1;
const std::uintptr_t kBufferSize = 2;

void take_arguments(Work& work, void** params, void** extra) {
  if (params != nullptr) {
    for (std::size_t i = 0; i < work.function->sizes.size(); ++i) {
      const auto* bytes = static_cast<const unsigned char*>(params[i]);
      work.arguments.insert(work.arguments.end(), bytes, bytes + work.function->sizes[i]);
    }
  } else if (extra != nullptr) {
    const unsigned char* bytes = nullptr;
    std::size_t size = 0;
    for (; reinterpret_cast<std::uintptr_t>(*extra) != kBufferEnd; extra += 2) {
      const auto mark = reinterpret_cast<std::uintptr_t>(*extra);
      if (mark == kBufferPointer) bytes = static_cast<const unsigned char*>(extra[1]);
      if (mark == kBufferSize) size = *static_cast<const std::size_t*>(extra[1]);
    }
    if (bytes != nullptr) work.arguments.assign(bytes, bytes + size);
  }
  std::size_t needed = 0;
  for (const std::size_t size : work.function->sizes) needed += size;
  work.arguments.resize(needed);
}

int launch(Stream* stream, const Function* function, const unsigned grid[3],
           const unsigned block[3], unsigned shared_bytes, void** params, void** extra) {
  if (stream == nullptr) return is_forked_child() ? kNotInitialized : kInvalidContext;
  if (function == nullptr) return kInvalidHandle;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0 || block[i] == 0) return kInvalidValue;
  }
  Work work;
  work.kind = Work::kKernel;
  work.function = function;
  std::memcpy(work.grid, grid, sizeof work.grid);
  std::memcpy(work.block, block, sizeof work.block);
  work.shared_bytes = shared_bytes;
  take_arguments(work, params, extra);
  return stream->submit(std::move(work));
}

int launch_host(Stream* stream, HostFunction function, void* user) {
  if (stream == nullptr) return kInvalidContext;
  Work work;
  work.kind = Work::kHost;
  work.host = function;
  work.user = user;
  return stream->submit(std::move(work));
}

int launch_graph(Stream* stream, const GraphExec* exec) {
  if (stream == nullptr) return is_forked_child() ? kNotInitialized : kInvalidContext;
  if (exec == nullptr) return kInvalidHandle;
  if (stream->is_capturing) return refuse_in_capture(*stream);
  Work work;
  work.kind = Work::kGraph;
  work.plan = exec->plan;
  return stream->submit(std::move(work));
}

}  // namespace
}  // namespace standin

using namespace standin;

// Each call twice: `_ptsz` is the one that programs with a default stream per thread use.
#define STANDIN_LAUNCHES(suffix, find)                                                          \
  STANDIN_SHOWN int cuLaunchKernel##suffix(                                                     \
      Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,      \
      unsigned bz, unsigned shared, void* stream, void** params, void** extra) {                \
    const unsigned grid[3] = {gx, gy, gz};                                                      \
    const unsigned block[3] = {bx, by, bz};                                                     \
    return launch(find(stream), function, grid, block, shared, params, extra);                  \
  }                                                                                             \
  STANDIN_SHOWN int cuLaunchCooperativeKernel##suffix(                                          \
      Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,      \
      unsigned bz, unsigned shared, void* stream, void** params) {                              \
    const unsigned grid[3] = {gx, gy, gz};                                                      \
    const unsigned block[3] = {bx, by, bz};                                                     \
    return launch(find(stream), function, grid, block, shared, params, nullptr);                \
  }                                                                                             \
  STANDIN_SHOWN int cuLaunchKernelEx##suffix(const LaunchConfig* config, Function* function,    \
                                             void** params, void** extra) {                     \
    return launch(find(config->stream), function, config->grid, config->block,                  \
                  config->shared_bytes, params, extra);                                         \
  }                                                                                             \
  STANDIN_SHOWN int cuLaunchHostFunc##suffix(void* stream, HostFunction function, void* user) { \
    return launch_host(find(stream), function, user);                                           \
  }                                                                                             \
  STANDIN_SHOWN int cuGraphLaunch##suffix(const GraphExec* exec, void* stream) {                \
    return launch_graph(find(stream), exec);                                                    \
  }

STANDIN_LAUNCHES(, find_stream)
STANDIN_LAUNCHES(_ptsz, find_stream_per_thread)
