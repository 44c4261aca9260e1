#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace tactus {

struct StringTag;
using StringId = Id<StringTag>;

/// Stores every distinct text once. Ids count from 0 in the order of first use; id 0 is "".
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  StringId intern(std::string_view text);
  std::optional<StringId> find(std::string_view text) const;

  /// The text of an id; empty for an unknown id (a damaged file may have one).
  std::string_view operator[](StringId id) const {
    return id.value < texts_.size() ? texts_[id.value] : std::string_view();
  }

  std::size_t size() const { return texts_.size(); }
  /// Bytes of all texts together.
  std::size_t text_bytes() const { return text_bytes_; }
  std::size_t memory_bytes() const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = StringId::kNone;
  };

  std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();
  std::string_view store(std::string_view text);

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;  ///< open addressing, a power of two
  std::vector<std::unique_ptr<char[]>> arenas_;
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::size_t arena_bytes_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace tactus
