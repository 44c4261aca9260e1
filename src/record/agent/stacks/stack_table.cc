#include "record/agent/stacks/stack_table.h"

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "record/agent/agent.h"
#include "record/agent/names.h"

namespace tactus::agent {
namespace {

constexpr int kTries = 64;
constexpr std::size_t kProbes = 64;

std::atomic<std::uint32_t> is_taken = 0;
StackTable* table = nullptr;

}  // namespace

StackTable* StackTable::take() {
  for (int tries = 0; is_taken.exchange(1, std::memory_order_acquire) != 0; ++tries) {
    if (tries >= kTries) {
      data()->stacks.busy.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
  }
  if (table == nullptr) {
    // Zeros, and memory only where something is written.
    void* room = mmap(nullptr, sizeof(StackTable), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
      is_taken.store(0, std::memory_order_release);
      return nullptr;
    }
    table = static_cast<StackTable*>(room);
  }
  return table;
}

void StackTable::give_back() {
  is_taken.store(0, std::memory_order_release);
}

void StackTable::forget() {
  if (table != nullptr) munmap(static_cast<void*>(table), sizeof(StackTable));
  table = nullptr;
  is_taken = 0;
}

std::uint32_t StackTable::text(const char* text, std::size_t length) {
  std::uint64_t hash = length + 1;
  for (std::size_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3u;
  hash = mix(hash, length) | 1;
  for (std::size_t i = 0; i < kProbes; ++i) {
    Text& slot = texts_[(hash + i) % kTexts];
    if (slot.hash == hash) return slot.name;
    if (slot.hash != 0) continue;
    const std::uint32_t name = add_name(text, length);
    if (name != wire::kNoName) slot = {hash, name};
    return name;
  }
  return add_name(text, length);
}

KnownCode& StackTable::code(Address code) {
  const std::uint64_t hash = mix(1, code >> 4);
  for (std::size_t i = 0; i < kProbes; ++i) {
    KnownCode& slot = codes_[(hash + i) % kCodes];
    if (slot.code == code || slot.code == 0) return slot;
  }
  // Somebody else's place: he is read again when he comes.
  KnownCode& slot = codes_[hash % kCodes];
  slot = {};
  return slot;
}

std::uint32_t StackTable::find_frame(std::uint64_t key) {
  key |= 1;
  for (std::size_t i = 0; i < kProbes; ++i) {
    const FrameSlot& slot = frames_[((key >> 1) + i) % kFrameSlots];
    if (slot.key == key) return slot.frame;
    if (slot.key == 0) break;
  }
  return 0;
}

std::uint32_t StackTable::add_frame(std::uint64_t key, const wire::Frame& frame) {
  key |= 1;
  wire::StackArea& area = data()->stacks;
  for (std::size_t i = 0; i < kProbes; ++i) {
    FrameSlot& slot = frames_[((key >> 1) + i) % kFrameSlots];
    if (slot.key != 0) continue;
    const std::uint32_t used = area.frames.load(std::memory_order_relaxed);
    const std::uint32_t number = used == 0 ? 1 : used;  // 0 is never used
    if (number >= wire::kFrames) break;
    area.frame[number] = frame;
    area.frames.store(number + 1, std::memory_order_release);
    slot = {key, number};
    return number;
  }
  area.no_room.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

std::uint32_t StackTable::node(std::uint32_t caller, std::uint32_t frame) {
  wire::StackArea& area = data()->stacks;
  const std::uint64_t hash = mix(mix(7, caller), frame);
  for (std::size_t i = 0; i < kProbes; ++i) {
    std::uint32_t& slot = nodes_[(hash + i) % kNodeSlots];
    if (slot != 0) {
      const wire::StackNode& node = area.node[slot];
      if (node.caller == caller && node.frame == frame) return slot;
      continue;
    }
    const std::uint32_t used = area.nodes.load(std::memory_order_relaxed);
    const std::uint32_t number = used == 0 ? 1 : used;
    if (number >= wire::kStackNodes) break;
    area.node[number] = {caller, frame};
    area.nodes.store(number + 1, std::memory_order_release);
    slot = number;
    return number;
  }
  area.no_room.fetch_add(1, std::memory_order_relaxed);
  return wire::kNoStack;
}

}  // namespace tactus::agent
