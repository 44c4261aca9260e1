#pragma once

#include <cstddef>
#include <cstdint>

#include "record/agent/stacks/checked_memory.h"
#include "wire/stacks.h"

namespace tactus::agent {

/// What is remembered of a code object, to notice that another one has taken its place.
struct KnownCode {
  Address code = 0;
  Address file_text = 0, name_text = 0, lines = 0;
  std::uint32_t file = 0, function = 0;  ///< names
  std::int32_t first_line = 0;
  std::uint32_t generation = 0;  ///< counts the code objects that were seen
  std::uint8_t step = 0;         ///< which engine's step function it is; 0: none
};

/// Finds the numbers of frames and stacks, and gives new ones. One thread at a time: whoever does
/// not get it does without.
class StackTable {
 public:
  /// Null if another thread has it, or if there is no memory.
  static StackTable* take();
  void give_back();
  /// The child of a fork starts anew.
  static void forget();

  /// The number of a text, each once; kNoName if there is no room.
  std::uint32_t text(const char* text, std::size_t length);
  /// The place of a code object; its `code` is 0 if it is new.
  KnownCode& code(Address code);
  /// A new number for what is at this place now.
  std::uint32_t next_generation() { return ++generations_; }
  /// The number of a frame; `key` is unique for what is in it. 0: not known yet.
  std::uint32_t find_frame(std::uint64_t key);
  std::uint32_t add_frame(std::uint64_t key, const wire::Frame& frame);
  std::uint32_t node(std::uint32_t caller, std::uint32_t frame);

  /// Memory to work in: stacks of threads may be small.
  static constexpr std::size_t kScratch = 1u << 16;
  unsigned char* scratch() { return scratch_; }

 private:
  static constexpr std::size_t kTexts = 1u << 15;
  static constexpr std::size_t kCodes = 1u << 15;
  static constexpr std::size_t kFrameSlots = 2u * wire::kFrames;
  static constexpr std::size_t kNodeSlots = 2u * wire::kStackNodes;

  struct Text {
    std::uint64_t hash;
    std::uint32_t name;
  };
  struct FrameSlot {
    std::uint64_t key;
    std::uint32_t frame;
  };

  std::uint32_t generations_;
  Text texts_[kTexts];
  KnownCode codes_[kCodes];
  FrameSlot frames_[kFrameSlots];
  std::uint32_t nodes_[kNodeSlots];
  unsigned char scratch_[kScratch];
};

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

}  // namespace tactus::agent
