#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "standin/device.h"

namespace standin {
namespace {

constexpr std::size_t kAlignment = 512;

/// Memory that the program got from here, by its address.
struct Blocks {
  struct Block {
    std::size_t bytes;
    Device* device;  ///< null: pinned host memory
  };
  std::mutex lock;
  std::map<std::uintptr_t, Block> blocks;
};

Blocks& all_blocks() {
  static Blocks* const blocks = new Blocks;
  return *blocks;
}

int allocate(void** memory, std::size_t bytes, Device* device) {
  if (bytes == 0) return kInvalidValue;
  if (device != nullptr && bytes > kDeviceBytes - device->used_bytes) return kOutOfMemory;
  *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (*memory == nullptr) return kOutOfMemory;
  if (device != nullptr) device->used_bytes += bytes;
  Blocks& all = all_blocks();
  const std::lock_guard lock(all.lock);
  all.blocks[reinterpret_cast<std::uintptr_t>(*memory)] = {bytes, device};
  return kSuccess;
}

int release(std::uintptr_t address) {
  if (address == 0) return kSuccess;
  Blocks& all = all_blocks();
  const std::lock_guard lock(all.lock);
  const auto found = all.blocks.find(address);
  if (found == all.blocks.end()) return kInvalidValue;
  if (found->second.device != nullptr) found->second.device->used_bytes -= found->second.bytes;
  all.blocks.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return kSuccess;
}

/// Host memory that the driver does not know: its bytes are taken, or given, during the call.
bool is_pageable(const void* memory) {
  if (is_virtual(reinterpret_cast<std::uintptr_t>(memory))) return false;
  Blocks& all = all_blocks();
  const std::lock_guard lock(all.lock);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  auto block = all.blocks.upper_bound(address);
  if (block == all.blocks.begin()) return true;
  --block;
  return address >= block->first + block->second.bytes;
}

template <class T>
T* pointer(DevicePointer address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

int copy(Stream* stream, void* to, const void* from, std::size_t bytes, bool wait,
         CopyKind kind = CopyKind::kUnknown) {
  if (stream == nullptr) return is_forked_child() ? kNotInitialized : kInvalidContext;
  if (bytes == 0) return kSuccess;
  if (to == nullptr || from == nullptr) return kInvalidValue;
  if (wait && stream->is_capturing) return refuse_in_capture(*stream);
  Work work;
  work.kind = Work::kCopy;
  work.copy_kind = kind;
  work.to = static_cast<unsigned char*>(to);
  work.from = static_cast<const unsigned char*>(from);
  work.bytes = bytes;
  if (!stream->is_capturing && !wait) {
    if (is_pageable(from)) {
      work.arguments.assign(work.from, work.from + bytes);
      work.from = nullptr;
    }
    wait = is_pageable(to);
  }
  const int result = stream->submit(std::move(work));
  if (result == kSuccess && wait) stream->wait_until_done();
  return result;
}

/// A side of a copy of rows, at its first byte.
unsigned char* start_of(const Copy2d::Side& side) {
  auto* base = side.memory_type == kHostMemory
                   ? static_cast<unsigned char*>(const_cast<void*>(side.host))
                   : pointer<unsigned char>(side.device);
  return base + side.y * side.pitch + side.x;
}

/// One work, as it is one copy; the rows of who is pageable are not taken during the call.
int copy_rows(Stream* stream, const Copy2d& what) {
  if (stream == nullptr) return is_forked_child() ? kNotInitialized : kInvalidContext;
  if (what.row_bytes == 0 || what.rows == 0) return kSuccess;
  if (what.row_bytes > what.from.pitch || what.row_bytes > what.to.pitch) return kInvalidValue;
  Work work;
  work.kind = Work::kCopy;
  work.from = start_of(what.from);
  work.to = start_of(what.to);
  work.bytes = what.row_bytes * what.rows;
  work.row_bytes = what.row_bytes;
  work.from_pitch = what.from.pitch;
  work.to_pitch = what.to.pitch;
  const bool wait = !stream->is_capturing && (is_pageable(work.from) || is_pageable(work.to));
  const int result = stream->submit(std::move(work));
  if (result == kSuccess && wait) stream->wait_until_done();
  return result;
}

int fill(Stream* stream, DevicePointer to, unsigned value, unsigned element_bytes,
         std::size_t count) {
  if (stream == nullptr) return is_forked_child() ? kNotInitialized : kInvalidContext;
  if (count == 0) return kSuccess;
  Work work;
  work.kind = Work::kFill;
  work.to = pointer<unsigned char>(to);
  work.value = value;
  work.element_bytes = element_bytes;
  work.bytes = count * element_bytes;
  return stream->submit(std::move(work));
}

}  // namespace
}  // namespace standin

using namespace standin;

STANDIN_SHOWN int cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  Device* device = current_device();
  if (device == nullptr) return kInvalidContext;
  void* block = nullptr;
  const int result = allocate(&block, bytes, device);
  *memory = reinterpret_cast<std::uintptr_t>(block);
  return result;
}

STANDIN_SHOWN int cuMemFree_v2(DevicePointer memory) {
  const Device* device = current_device();
  if (device == nullptr) return kInvalidContext;
  wait_for_all_streams(*device);  // work that is under way may use it
  return release(static_cast<std::uintptr_t>(memory));
}

STANDIN_SHOWN int cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  return current_device() == nullptr ? kInvalidContext : allocate(memory, bytes, nullptr);
}

STANDIN_SHOWN int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return cuMemAllocHost_v2(memory, bytes);
}

STANDIN_SHOWN int cuMemHostRegister_v2(void*, std::size_t, unsigned) {
  return kSuccess;
}

STANDIN_SHOWN int cuMemHostUnregister(void*) {
  return kSuccess;
}

STANDIN_SHOWN int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* memory, unsigned) {
  *address = reinterpret_cast<std::uintptr_t>(memory);
  return kSuccess;
}

STANDIN_SHOWN int cuMemAllocManaged(DevicePointer* memory, std::size_t bytes, unsigned) {
  return cuMemAlloc_v2(memory, bytes);
}

STANDIN_SHOWN int cuMemFreeHost(void* memory) {
  return release(reinterpret_cast<std::uintptr_t>(memory));
}

STANDIN_SHOWN int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return copy(find_stream(nullptr), pointer<void>(to), from, bytes, true, CopyKind::kToDevice);
}

STANDIN_SHOWN int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return copy(find_stream(nullptr), to, pointer<void>(from), bytes, true, CopyKind::kToHost);
}

STANDIN_SHOWN int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return copy(find_stream(nullptr), pointer<void>(to), pointer<void>(from), bytes, false,
              CopyKind::kOnDevice);
}

STANDIN_SHOWN int cuMemcpy(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return copy(find_stream(nullptr), pointer<void>(to), pointer<void>(from), bytes, true);
}

STANDIN_SHOWN int cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t count) {
  return fill(find_stream(nullptr), to, value, 1, count);
}

STANDIN_SHOWN int cuMemsetD32_v2(DevicePointer to, unsigned value, std::size_t count) {
  return fill(find_stream(nullptr), to, value, 4, count);
}

#define STANDIN_MEMORY(suffix, find)                                                               \
  STANDIN_SHOWN int cuMemcpyHtoDAsync_v2##suffix(DevicePointer to, const void* from,               \
                                                 std::size_t bytes, void* stream) {                \
    return copy(find(stream), pointer<void>(to), from, bytes, false, CopyKind::kToDevice);         \
  }                                                                                                \
  STANDIN_SHOWN int cuMemcpyDtoHAsync_v2##suffix(void* to, DevicePointer from, std::size_t bytes,  \
                                                 void* stream) {                                   \
    return copy(find(stream), to, pointer<void>(from), bytes, false, CopyKind::kToHost);           \
  }                                                                                                \
  STANDIN_SHOWN int cuMemcpyDtoDAsync_v2##suffix(DevicePointer to, DevicePointer from,             \
                                                 std::size_t bytes, void* stream) {                \
    return copy(find(stream), pointer<void>(to), pointer<void>(from), bytes, false,                \
                CopyKind::kOnDevice);                                                              \
  }                                                                                                \
  STANDIN_SHOWN int cuMemcpyAsync##suffix(DevicePointer to, DevicePointer from, std::size_t bytes, \
                                          void* stream) {                                          \
    return copy(find(stream), pointer<void>(to), pointer<void>(from), bytes, false);               \
  }                                                                                                \
  STANDIN_SHOWN int cuMemcpyPeerAsync##suffix(DevicePointer to, void*, DevicePointer from, void*,  \
                                              std::size_t bytes, void* stream) {                   \
    return copy(find(stream), pointer<void>(to), pointer<void>(from), bytes, false);               \
  }                                                                                                \
  STANDIN_SHOWN int cuMemcpy2DAsync_v2##suffix(const Copy2d* what, void* stream) {                 \
    return copy_rows(find(stream), *what);                                                         \
  }                                                                                                \
  STANDIN_SHOWN int cuMemsetD8Async##suffix(DevicePointer to, unsigned char value,                 \
                                            std::size_t count, void* stream) {                     \
    return fill(find(stream), to, value, 1, count);                                                \
  }                                                                                                \
  STANDIN_SHOWN int cuMemsetD16Async##suffix(DevicePointer to, unsigned short value,               \
                                             std::size_t count, void* stream) {                    \
    return fill(find(stream), to, value, 2, count);                                                \
  }                                                                                                \
  STANDIN_SHOWN int cuMemsetD32Async##suffix(DevicePointer to, unsigned value, std::size_t count,  \
                                             void* stream) {                                       \
    return fill(find(stream), to, value, 4, count);                                                \
  }                                                                                                \
  STANDIN_SHOWN int cuMemAllocAsync##suffix(DevicePointer* memory, std::size_t bytes,              \
                                            void* stream) {                                        \
    return find(stream) == nullptr ? kInvalidContext : cuMemAlloc_v2(memory, bytes);               \
  }                                                                                                \
  STANDIN_SHOWN int cuMemFreeAsync##suffix(DevicePointer memory, void* stream) {                   \
    Stream* found = find(stream);                                                                  \
    if (found == nullptr) return kInvalidContext;                                                  \
    found->wait_until_done();                                                                      \
    return release(static_cast<std::uintptr_t>(memory));                                           \
  }

STANDIN_MEMORY(, find_stream)
STANDIN_MEMORY(_ptsz, find_stream_per_thread)
