// Call stacks in the memory that an agent shares: a tree of frames. A stack is the number of its
// innermost node.
#pragma once

#include <atomic>
#include <cstdint>

namespace tactus::wire {

inline constexpr std::uint32_t kFrames = 1u << 17;
inline constexpr std::uint32_t kStackNodes = 1u << 20;
inline constexpr std::uint32_t kNoStack = 0;
/// Frames of a stack that are kept; of deeper ones, the innermost.
inline constexpr std::uint32_t kDeepestStack = 256;

/// What a recorder wants of stacks: a sum of these.
enum StackWish : std::uint32_t {
  kNativeStacks = 1,
  kPythonStacks = 2,
};

enum class FrameKind : std::uint32_t {
  kNone = 0,
  kPython = 1,  ///< file, function and line
  kNative = 2,  ///< file: that of the module; address: in that file's memory image
  kDeeper = 3,  ///< stands for the frames that were left out
};

struct Frame {
  std::uint32_t file;      ///< a name, as the next
  std::uint32_t function;  ///< native: the build id of the module
  std::uint32_t line;      ///< 0: unknown
  FrameKind kind;
  std::uint64_t address;
};
static_assert(sizeof(Frame) == 24);

/// Its caller comes before it in the table.
struct StackNode {
  std::uint32_t caller;
  std::uint32_t frame;
};

/// Whether the agent can read the frames of Python.
enum class PythonState : std::uint32_t {
  kNotSeen = 0,
  kReads = 1,
  kOtherVersion = 2,    ///< not 3.10 to 3.13
  kFreeThreaded = 3,    ///< built without the global lock
  kSelfTestFailed = 4,  ///< what should be code objects are not
};

struct StackArea {
  std::atomic<std::uint32_t> frames;  ///< used; the first is never used
  std::atomic<std::uint32_t> nodes;   ///< likewise
  std::atomic<std::uint32_t> no_room;
  std::atomic<std::uint32_t> busy;        ///< another thread was writing
  std::atomic<std::uint32_t> unreadable;  ///< a pointer led nowhere
  std::atomic<PythonState> python;
  std::atomic<std::uint32_t> python_version;  ///< 0x030b: 3.11
  std::uint32_t spare;
  alignas(4096) Frame frame[kFrames];
  alignas(4096) StackNode node[kStackNodes];
};

}  // namespace tactus::wire
