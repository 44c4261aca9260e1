// What the device did, as CUPTI tells it: the agent puts its records into this form, because they
// have pointers into the target.
#pragma once

#include <atomic>
#include <cstdint>

namespace tactus::wire {

inline constexpr std::uint64_t kActivityRecords = 1u << 17;

enum class ActivityKind : std::uint32_t {
  kNone = 0,
  kKernel = 1,
  kCopy = 2,
  kFill = 3,
};

struct Activity {
  ActivityKind kind;
  std::uint32_t correlation;  ///< of CUPTI
  std::uint64_t begin_ns;     ///< ActivityArea::clock; kCall: tid and sequence of the call
  std::uint64_t end_ns;
  std::uint32_t name;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t cluster[3];
  std::uint32_t shared_bytes;
  std::uint32_t registers;
  std::uint32_t graph;  ///< 0: none
  std::uint64_t graph_node;
  std::uint64_t bytes;     ///< of copies and fills
  std::uint8_t copy_kind;  ///< as CUPTI numbers them, as the next
  std::uint8_t from_kind;
  std::uint8_t to_kind;
  std::uint8_t spare[5];
};
static_assert(sizeof(Activity) == 112);

enum class ActivityState : std::uint32_t {
  kOff = 0,
  kOn = 1,
  kHeld = 2,       ///< somebody else uses CUPTI: `holder`
  kNoLibrary = 3,  ///< libcupti was not found
  kFailed = 4,     ///< `result` has CUPTI's error
};

enum class ActivityClock : std::uint32_t { kMonotonic = 1, kRealtime = 2 };

struct ActivityArea {
  std::atomic<std::uint64_t> head;           ///< next to write
  std::atomic<std::uint64_t> dropped;        ///< found no room here
  std::atomic<std::uint64_t> cupti_dropped;  ///< .. or in CUPTI
  std::atomic<ActivityState> state;
  std::atomic<ActivityClock> clock;
  std::atomic<std::uint32_t> result;
  std::atomic<std::uint32_t> cupti_version;
  char holder[96];
  std::atomic<std::uint32_t> attempts;  ///< to begin; `state` says how the last one went
  alignas(4096) Activity records[kActivityRecords];
};

}  // namespace tactus::wire
