#include "record/agent/cupti/activity_buffers.h"

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "record/agent/agent.h"
#include "record/agent/cupti/cupti_abi.h"
#include "record/agent/names.h"

namespace tactus::agent {
namespace {

constexpr std::size_t kBuffers = 32;
constexpr std::size_t kBufferBytes = 2u << 20;
constexpr int kTries = 1000;

struct Buffer {
  std::atomic<std::uint32_t> is_used;
  std::atomic<std::uint8_t*> memory;
};
Buffer buffers[kBuffers];
BufferReader reader = {};

// One writer at a time. These are CUPTI's threads, which may wait a little.
std::atomic<std::uint32_t> is_taken = 0;

/// Names by their address; CUPTI keeps them as long as it lives.
struct KnownName {
  const char* text;
  std::uint64_t hash;
  std::uint32_t name;
};
constexpr std::size_t kNames = 1u << 14;
KnownName names[kNames];

std::uint32_t name_of(const char* text) {
  if (text == nullptr) return wire::kNoName;
  const std::size_t length = strnlen(text, wire::kLongestName);
  std::uint64_t hash = 1469598103934665603u;
  for (std::size_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3u;
  for (std::size_t i = 0; i < 16; ++i) {
    KnownName& known = names[(hash + i) % kNames];
    if (known.hash == hash && known.name != wire::kNoName) return known.name;
    if (known.text != nullptr) continue;
    known = {text, hash, add_name(text, length)};
    return known.name;
  }
  return add_name(text, length);
}

wire::Activity* next_place(wire::ActivityArea& area) {
  const std::uint64_t head = area.head.load(std::memory_order_relaxed);
  const std::uint64_t tail =
      control.load(std::memory_order_relaxed)->activity_tail.load(std::memory_order_acquire);
  if (tail > head || head - tail >= wire::kActivityRecords) {
    area.dropped.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  wire::Activity* place = &area.records[head % wire::kActivityRecords];
  *place = {};
  return place;
}

std::uint32_t positive(std::int32_t value) {
  return value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

void put_kernel(const cupti::Kernel& from, wire::Activity& to) {
  to.kind = wire::ActivityKind::kKernel;
  to.correlation = from.correlation;
  to.begin_ns = from.start;
  to.end_ns = from.end;
  to.name = name_of(from.name);
  to.device = from.device;
  to.context = from.context;
  to.stream = from.stream;
  for (int i = 0; i < 3; ++i) {
    to.grid[i] = positive(from.grid[i]);
    to.block[i] = positive(from.block[i]);
    to.cluster[i] = from.cluster[i];
  }
  to.shared_bytes = positive(from.static_shared) + positive(from.dynamic_shared);
  to.registers = from.registers;
  to.graph = from.graph;
  to.graph_node = from.graph_node;
}

template <class T>
void put_memory(const T& from, wire::ActivityKind kind, wire::Activity& to) {
  to.kind = kind;
  to.correlation = from.correlation;
  to.begin_ns = from.start;
  to.end_ns = from.end;
  to.device = from.device;
  to.context = from.context;
  to.stream = from.stream;
  to.graph = from.graph;
  to.graph_node = from.graph_node;
  to.bytes = from.bytes;
}

void put(const void* record, wire::ActivityArea& area) {
  std::uint32_t kind = 0;
  std::memcpy(&kind, record, sizeof kind);
  if (kind != cupti::kConcurrentKernel && kind != cupti::kMemcpy && kind != cupti::kMemset) return;
  wire::Activity* place = next_place(area);
  if (place == nullptr) return;
  if (kind == cupti::kConcurrentKernel) {
    put_kernel(*static_cast<const cupti::Kernel*>(record), *place);
  } else if (kind == cupti::kMemcpy) {
    const auto& copy = *static_cast<const cupti::Memcpy*>(record);
    put_memory(copy, wire::ActivityKind::kCopy, *place);
    place->copy_kind = copy.copy_kind;
    place->from_kind = copy.from_kind;
    place->to_kind = copy.to_kind;
  } else {
    put_memory(*static_cast<const cupti::Memset*>(record), wire::ActivityKind::kFill, *place);
  }
  area.head.store(area.head.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace

void set_reader(const BufferReader& of_cupti) {
  reader = of_cupti;
}

void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = nullptr;
  *size = 0;
  *most_records = 0;
  for (Buffer& one : buffers) {
    if (one.is_used.exchange(1, std::memory_order_acquire) != 0) continue;
    std::uint8_t* memory = one.memory.load(std::memory_order_relaxed);
    if (memory == nullptr) {
      void* room =
          mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (room == MAP_FAILED) {
        one.is_used.store(0, std::memory_order_release);
        return;
      }
      memory = static_cast<std::uint8_t*>(room);
      one.memory.store(memory, std::memory_order_relaxed);
    }
    *buffer = memory;
    *size = kBufferBytes;
    return;
  }
}

void take_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                 std::size_t valid) {
  wire::Data* shared = data();
  if (shared != nullptr && buffer != nullptr) {
    wire::ActivityArea& area = shared->activities;
    int tries = 0;
    while (is_taken.exchange(1, std::memory_order_acquire) != 0 && ++tries < kTries) sched_yield();
    if (tries < kTries) {
      void* record = nullptr;
      while (valid != 0 && reader.next(buffer, valid, &record) == cupti::kSuccess)
        put(record, area);
      is_taken.store(0, std::memory_order_release);
    } else {
      area.dropped.fetch_add(1, std::memory_order_relaxed);
    }
    std::size_t dropped = 0;
    if (reader.dropped != nullptr && reader.dropped(context, stream, &dropped) == cupti::kSuccess) {
      area.cupti_dropped.fetch_add(dropped, std::memory_order_relaxed);
    }
  }
  for (Buffer& one : buffers) {
    if (one.memory.load(std::memory_order_relaxed) == buffer)
      one.is_used.store(0, std::memory_order_release);
  }
}

void forget_buffers() {
  for (KnownName& known : names) known = {};
  for (Buffer& one : buffers) one.is_used = 0;
  is_taken = 0;
}

}  // namespace tactus::agent
