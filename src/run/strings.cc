#include "run/strings.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace tactus {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kFirstArena = 4096;
constexpr std::size_t kLargestArena = 1 << 20;

}  // namespace

StringPool::StringPool() : slots_(kFirstSlots) {
  intern("");
}

std::size_t StringPool::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = hash & mask;
  while (slots_[at].id != StringId::kNone &&
         (slots_[at].hash != tag || texts_[slots_[at].id] != text)) {
    at = (at + 1) & mask;
  }
  return at;
}

StringId StringPool::intern(std::string_view text) {
  const std::uint64_t hash = hash_bytes(text);
  std::size_t at = slot_of(text, hash);
  if (slots_[at].id != StringId::kNone) return StringId(slots_[at].id);
  if (texts_.size() * 2 >= slots_.size()) {
    grow();
    at = slot_of(text, hash);
  }
  const StringId id(texts_.size());
  slots_[at] = {static_cast<std::uint32_t>(hash >> 32), id.value};
  texts_.push_back(store(text));
  text_bytes_ += text.size();
  return id;
}

std::optional<StringId> StringPool::find(std::string_view text) const {
  const Slot& slot = slots_[slot_of(text, hash_bytes(text))];
  if (slot.id == StringId::kNone) return std::nullopt;
  return StringId(slot.id);
}

void StringPool::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    const std::uint64_t hash = hash_bytes(texts_[id]);
    std::size_t at = hash & mask;
    while (slots_[at].id != StringId::kNone) at = (at + 1) & mask;
    slots_[at] = {static_cast<std::uint32_t>(hash >> 32), id};
  }
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return "";  // not null, because memcmp must not get null
  if (text.size() > free_bytes_) {
    const std::size_t wanted = std::clamp(arena_bytes_, kFirstArena, kLargestArena);
    const std::size_t bytes = std::max(text.size(), wanted);
    arenas_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    free_ = arenas_.back().get();
    free_bytes_ = bytes;
    arena_bytes_ += bytes;
  }
  std::memcpy(free_, text.data(), text.size());
  const std::string_view stored(free_, text.size());
  free_ += text.size();
  free_bytes_ -= text.size();
  return stored;
}

std::size_t StringPool::memory_bytes() const {
  return arena_bytes_ + texts_.capacity() * sizeof(std::string_view) +
         slots_.capacity() * sizeof(Slot);
}

}  // namespace tactus
