#include "record/agent/hooks.h"
#include "record/agent/originals.h"

using namespace tactus::agent;
using tactus::wire::CallId;
using tactus::wire::RecordKind;

namespace {

// CUDA_MEMCPY2D and CUDA_MEMCPY3D as words of 8 bytes: where width, height and depth are.
std::uint64_t bytes_2d(const void* copy) {
  const auto* words = static_cast<const std::uint64_t*>(copy);
  return copy == nullptr ? 0 : words[14] * words[15];
}
std::uint64_t bytes_3d(const void* copy) {
  const auto* words = static_cast<const std::uint64_t*>(copy);
  return copy == nullptr ? 0 : words[22] * words[23] * words[24];
}

}  // namespace

#define TACTUS_ORIGINAL(name)                 \
  const auto original = originals.name.get(); \
  if (original == nullptr) return kNotInitialized

// Copies and fills that the calling thread waits for (or that go to the default stream).
#define TACTUS_DEFAULT_STREAM_HOOKS(suffix, per_thread_stream)                                   \
  TACTUS_HOOK cuMemcpyHtoD_v2##suffix(DevicePointer to, const void* from, std::size_t bytes) {   \
    TACTUS_ORIGINAL(cuMemcpyHtoD_v2##suffix);                                                    \
    return record_memory({.kind = RecordKind::kCopy,                                             \
                          .call = CallId::kMemcpyHtoD,                                           \
                          .bytes = bytes,                                                        \
                          .address = to,                                                         \
                          .per_thread = per_thread_stream},                                      \
                         [&] { return original(to, from, bytes); });                             \
  }                                                                                              \
  TACTUS_HOOK cuMemcpyDtoH_v2##suffix(void* to, DevicePointer from, std::size_t bytes) {         \
    TACTUS_ORIGINAL(cuMemcpyDtoH_v2##suffix);                                                    \
    return record_memory({.kind = RecordKind::kCopy,                                             \
                          .call = CallId::kMemcpyDtoH,                                           \
                          .bytes = bytes,                                                        \
                          .address = from,                                                       \
                          .per_thread = per_thread_stream,                                       \
                          .waits = true},                                                        \
                         [&] { return original(to, from, bytes); });                             \
  }                                                                                              \
  TACTUS_HOOK cuMemcpyDtoD_v2##suffix(DevicePointer to, DevicePointer from, std::size_t bytes) { \
    TACTUS_ORIGINAL(cuMemcpyDtoD_v2##suffix);                                                    \
    return record_memory({.kind = RecordKind::kCopy,                                             \
                          .call = CallId::kMemcpyDtoD,                                           \
                          .bytes = bytes,                                                        \
                          .address = to,                                                         \
                          .per_thread = per_thread_stream},                                      \
                         [&] { return original(to, from, bytes); });                             \
  }                                                                                              \
  TACTUS_HOOK cuMemcpy##suffix(DevicePointer to, DevicePointer from, std::size_t bytes) {        \
    TACTUS_ORIGINAL(cuMemcpy##suffix);                                                           \
    return record_memory({.kind = RecordKind::kCopy,                                             \
                          .call = CallId::kMemcpy,                                               \
                          .bytes = bytes,                                                        \
                          .address = to,                                                         \
                          .per_thread = per_thread_stream,                                       \
                          .waits = true},                                                        \
                         [&] { return original(to, from, bytes); });                             \
  }                                                                                              \
  TACTUS_HOOK cuMemsetD8_v2##suffix(DevicePointer to, unsigned char value, std::size_t count) {  \
    TACTUS_ORIGINAL(cuMemsetD8_v2##suffix);                                                      \
    return record_memory({.kind = RecordKind::kFill,                                             \
                          .call = CallId::kMemsetD8,                                             \
                          .bytes = count,                                                        \
                          .address = to,                                                         \
                          .per_thread = per_thread_stream},                                      \
                         [&] { return original(to, value, count); });                            \
  }                                                                                              \
  TACTUS_HOOK cuMemsetD32_v2##suffix(DevicePointer to, unsigned value, std::size_t count) {      \
    TACTUS_ORIGINAL(cuMemsetD32_v2##suffix);                                                     \
    return record_memory({.kind = RecordKind::kFill,                                             \
                          .call = CallId::kMemsetD32,                                            \
                          .bytes = count * 4,                                                    \
                          .address = to,                                                         \
                          .per_thread = per_thread_stream},                                      \
                         [&] { return original(to, value, count); });                            \
  }

TACTUS_DEFAULT_STREAM_HOOKS(, false)
TACTUS_DEFAULT_STREAM_HOOKS(_ptds, true)

#define TACTUS_COPY(id, byte_count, place)                                                \
  {                                                                                       \
    .kind = RecordKind::kCopy, .call = CallId::id, .bytes = byte_count, .address = place, \
    .stream = stream, .per_thread = is_ptsz                                               \
  }
#define TACTUS_FILL(id, byte_count)                                                    \
  {                                                                                    \
    .kind = RecordKind::kFill, .call = CallId::id, .bytes = byte_count, .address = to, \
    .stream = stream, .per_thread = is_ptsz                                            \
  }

#define TACTUS_STREAM_HOOKS(suffix, per_thread_stream)                                            \
  TACTUS_HOOK cuMemcpyHtoDAsync_v2##suffix(DevicePointer to, const void* from, std::size_t bytes, \
                                           Handle stream) {                                       \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemcpyHtoDAsync_v2##suffix);                                                \
    return record_memory(TACTUS_COPY(kMemcpyHtoDAsync, bytes, to),                                \
                         [&] { return original(to, from, bytes, stream); });                      \
  }                                                                                               \
  TACTUS_HOOK cuMemcpyDtoHAsync_v2##suffix(void* to, DevicePointer from, std::size_t bytes,       \
                                           Handle stream) {                                       \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemcpyDtoHAsync_v2##suffix);                                                \
    return record_memory(TACTUS_COPY(kMemcpyDtoHAsync, bytes, from),                              \
                         [&] { return original(to, from, bytes, stream); });                      \
  }                                                                                               \
  TACTUS_HOOK cuMemcpyDtoDAsync_v2##suffix(DevicePointer to, DevicePointer from,                  \
                                           std::size_t bytes, Handle stream) {                    \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemcpyDtoDAsync_v2##suffix);                                                \
    return record_memory(TACTUS_COPY(kMemcpyDtoDAsync, bytes, to),                                \
                         [&] { return original(to, from, bytes, stream); });                      \
  }                                                                                               \
  TACTUS_HOOK cuMemcpyAsync##suffix(DevicePointer to, DevicePointer from, std::size_t bytes,      \
                                    Handle stream) {                                              \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemcpyAsync##suffix);                                                       \
    return record_memory(TACTUS_COPY(kMemcpyAsync, bytes, to),                                    \
                         [&] { return original(to, from, bytes, stream); });                      \
  }                                                                                               \
  TACTUS_HOOK cuMemcpyPeerAsync##suffix(DevicePointer to, Handle to_context, DevicePointer from,  \
                                        Handle from_context, std::size_t bytes, Handle stream) {  \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemcpyPeerAsync##suffix);                                                   \
    return record_memory(TACTUS_COPY(kMemcpyPeerAsync, bytes, to), [&] {                          \
      return original(to, to_context, from, from_context, bytes, stream);                         \
    });                                                                                           \
  }                                                                                               \
  TACTUS_HOOK cuMemcpy2DAsync_v2##suffix(const void* copy, Handle stream) {                       \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemcpy2DAsync_v2##suffix);                                                  \
    return record_memory(TACTUS_COPY(kMemcpy2DAsync, bytes_2d(copy), 0),                          \
                         [&] { return original(copy, stream); });                                 \
  }                                                                                               \
  TACTUS_HOOK cuMemcpy3DAsync_v2##suffix(const void* copy, Handle stream) {                       \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemcpy3DAsync_v2##suffix);                                                  \
    return record_memory(TACTUS_COPY(kMemcpy3DAsync, bytes_3d(copy), 0),                          \
                         [&] { return original(copy, stream); });                                 \
  }                                                                                               \
  TACTUS_HOOK cuMemsetD8Async##suffix(DevicePointer to, unsigned char value, std::size_t count,   \
                                      Handle stream) {                                            \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemsetD8Async##suffix);                                                     \
    return record_memory(TACTUS_FILL(kMemsetD8Async, count),                                      \
                         [&] { return original(to, value, count, stream); });                     \
  }                                                                                               \
  TACTUS_HOOK cuMemsetD16Async##suffix(DevicePointer to, unsigned short value, std::size_t count, \
                                       Handle stream) {                                           \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemsetD16Async##suffix);                                                    \
    return record_memory(TACTUS_FILL(kMemsetD16Async, count * 2),                                 \
                         [&] { return original(to, value, count, stream); });                     \
  }                                                                                               \
  TACTUS_HOOK cuMemsetD32Async##suffix(DevicePointer to, unsigned value, std::size_t count,       \
                                       Handle stream) {                                           \
    constexpr bool is_ptsz = per_thread_stream;                                                   \
    TACTUS_ORIGINAL(cuMemsetD32Async##suffix);                                                    \
    return record_memory(TACTUS_FILL(kMemsetD32Async, count * 4),                                 \
                         [&] { return original(to, value, count, stream); });                     \
  }                                                                                               \
  TACTUS_HOOK cuMemAllocAsync##suffix(DevicePointer* memory, std::size_t bytes, Handle stream) {  \
    TACTUS_ORIGINAL(cuMemAllocAsync##suffix);                                                     \
    return record_memory({.kind = RecordKind::kAllocate,                                          \
                          .call = CallId::kMemAllocAsync,                                         \
                          .bytes = bytes,                                                         \
                          .stream = stream,                                                       \
                          .per_thread = per_thread_stream},                                       \
                         [&] { return original(memory, bytes, stream); });                        \
  }                                                                                               \
  TACTUS_HOOK cuMemFreeAsync##suffix(DevicePointer memory, Handle stream) {                       \
    TACTUS_ORIGINAL(cuMemFreeAsync##suffix);                                                      \
    return record_memory({.kind = RecordKind::kFree,                                              \
                          .call = CallId::kMemFreeAsync,                                          \
                          .bytes = 0,                                                             \
                          .address = memory,                                                      \
                          .stream = stream,                                                       \
                          .per_thread = per_thread_stream},                                       \
                         [&] { return original(memory, stream); });                               \
  }

TACTUS_STREAM_HOOKS(, false)
TACTUS_STREAM_HOOKS(_ptsz, true)

TACTUS_HOOK cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  TACTUS_ORIGINAL(cuMemAlloc_v2);
  return record_memory({.kind = RecordKind::kAllocate,
                        .call = CallId::kMemAlloc,
                        .bytes = bytes,
                        .has_stream = false},
                       [&] { return original(memory, bytes); });
}

TACTUS_HOOK cuMemFree_v2(DevicePointer memory) {
  TACTUS_ORIGINAL(cuMemFree_v2);
  return record_memory({.kind = RecordKind::kFree,
                        .call = CallId::kMemFree,
                        .bytes = 0,
                        .address = memory,
                        .has_stream = false},
                       [&] { return original(memory); });
}

TACTUS_HOOK cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  TACTUS_ORIGINAL(cuMemHostAlloc);
  return record_memory({.kind = RecordKind::kAllocate,
                        .call = CallId::kMemHostAlloc,
                        .bytes = bytes,
                        .has_stream = false},
                       [&] { return original(memory, bytes, flags); });
}

TACTUS_HOOK cuMemFreeHost(void* memory) {
  TACTUS_ORIGINAL(cuMemFreeHost);
  return record_memory({.kind = RecordKind::kFree,
                        .call = CallId::kMemFreeHost,
                        .bytes = 0,
                        .address = reinterpret_cast<std::uint64_t>(memory),
                        .has_stream = false},
                       [&] { return original(memory); });
}

TACTUS_HOOK cuMemCreate(std::uint64_t* handle, std::size_t bytes, const void* properties,
                        unsigned long long flags) {
  TACTUS_ORIGINAL(cuMemCreate);
  return record_memory({.kind = RecordKind::kAllocate,
                        .call = CallId::kMemCreate,
                        .bytes = bytes,
                        .has_stream = false},
                       [&] { return original(handle, bytes, properties, flags); });
}
