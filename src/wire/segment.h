// The memory that the agent in a target shares with a recorder. Two memory files:
//
//   data      header | streams | names | text of names | rings     the agent writes, the recorder
//   only reads control   what the recorder wants, how far it has read          the recorder writes,
//   the agent only reads
//
// Their sizes are fixed and sealed, so neither side can take memory away from the other. The
// recorder believes nothing that it reads: an agent can spoil its own data only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/activity.h"
#include "wire/operators.h"
#include "wire/record.h"
#include "wire/stacks.h"

namespace tactus::wire {

inline constexpr std::uint64_t kMagic = 0x31746e6567617474;  // "ttagent1"
/// Changes with every change of this file or of record.h.
inline constexpr std::uint32_t kLayoutVersion = 5;

inline constexpr std::uint32_t kRings = 64;
inline constexpr std::uint64_t kRingRecords = 8192;  // a power of two
/// The last ring is for all threads that find no free one.
inline constexpr std::uint32_t kSharedRing = kRings - 1;
inline constexpr std::uint32_t kStreams = 1024;
inline constexpr std::uint32_t kNames = 65536;
inline constexpr std::uint32_t kTextBytes = 8u << 20;
inline constexpr std::uint32_t kLongestName = 4096;
inline constexpr std::uint32_t kDevices = 32;

/// The names of the memory files, as /proc/PID/fd shows them: "/memfd:tactus-agent-data (deleted)".
inline constexpr const char* kDataName = "tactus-agent-data";
inline constexpr const char* kControlName = "tactus-agent-control";

/// Environment of a target: the socket of the recorder, and its budget in millionths.
inline constexpr const char* kSocketVariable = "TACTUS_AGENT_SOCKET";
inline constexpr const char* kBudgetVariable = "TACTUS_AGENT_BUDGET_PPM";
/// Likewise: a sum of StackWish.
inline constexpr const char* kStacksVariable = "TACTUS_AGENT_STACKS";
/// Likewise: 1 for activities of CUPTI.
inline constexpr const char* kActivitiesVariable = "TACTUS_AGENT_ACTIVITIES";
/// Where to find CUPTI, if it is in no usual place.
inline constexpr const char* kCuptiVariable = "TACTUS_CUPTI";

/// A device of the target.
struct Device {
  std::atomic<std::uint32_t> is_known;  ///< 1: the rest is written
  std::uint32_t spare;
  unsigned char uuid[16];
  char name[104];
};
static_assert(sizeof(Device) == 128);

struct Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t record_bytes;
  std::uint64_t data_bytes;
  std::uint64_t control_bytes;
  std::uint32_t pid;
  std::int32_t rank;           ///< RANK of the environment; -1: unknown
  std::int32_t world_size;     ///< likewise
  std::uint32_t has_no_hooks;  ///< loaded into a process that ran: CUPTI only
  std::uint64_t start_ticks;   ///< with the next: a point of both clocks
  std::uint64_t start_monotonic_ns;
  std::atomic<std::uint32_t> streams;     ///< used
  std::atomic<std::uint32_t> names;       ///< handed out; the first is never used
  std::atomic<std::uint32_t> text_bytes;  ///< handed out
  std::atomic<std::uint32_t> names_lost;  ///< there was no room for
  std::atomic<std::uint32_t> no_ring;     ///< records lost because all rings were taken and busy
  std::atomic<std::uint32_t> nested;      ///< records lost because a signal interrupted one
  char command[256];                      ///< as the process was started
  Device devices[kDevices];
};

struct Stream {
  std::atomic<std::uint32_t> is_known;
  std::int32_t device;
  std::uint64_t handle;
};

struct Name {
  std::atomic<std::uint32_t> length;  ///< 0: not written yet
  std::uint32_t offset;
};

/// One writer, one reader. Indices only grow; a record is at index % kRingRecords.
struct alignas(64) RingHeader {
  std::atomic<std::uint64_t> head;     ///< next to write
  std::atomic<std::uint64_t> dropped;  ///< the ring was full
  std::atomic<std::uint32_t> tid;
  std::atomic<std::uint32_t> use;  ///< 0: never used; odd: by a thread; even: that thread ended
  std::atomic<std::uint64_t> own_ticks;           ///< time that the agent took from the thread
  std::atomic<std::uint64_t> since_ticks;         ///< since when `own_ticks` counts
  std::atomic<std::uint64_t> gpu_times_left_out;  ///< for the budget
  std::uint64_t spare;
};
static_assert(sizeof(RingHeader) == 64);

struct Data {
  Header header;
  alignas(4096) Stream streams[kStreams];
  alignas(4096) Name names[kNames];
  char text[kTextBytes];
  alignas(4096) RingHeader rings[kRings];
  alignas(4096) Record records[kRings][kRingRecords];
  alignas(4096) StackArea stacks;
  alignas(4096) ScopeArea scopes;
  alignas(4096) ActivityArea activities;
};

enum Recording : std::uint32_t {
  kOff = 0,
  kLight = 1,
};

struct Control {
  std::uint64_t magic;
  std::atomic<std::uint32_t> recording;
  std::atomic<std::uint32_t> budget_ppm;    ///< of a thread's time
  std::atomic<std::uint64_t> heartbeat_ns;  ///< CLOCK_MONOTONIC; a recorder that is alive renews it
  std::atomic<std::uint32_t> stacks;        ///< a sum of StackWish
  std::atomic<std::uint32_t> activities;    ///< 1: what the device did is wanted, too
  std::atomic<std::uint64_t> activity_tail;  ///< next to read
  std::uint32_t spare[6];
  alignas(64) std::atomic<std::uint64_t> tails[kRings];  ///< next to read
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The message with which an agent hands over its two files, data first.
struct Hello {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t pid;
};

}  // namespace tactus::wire
