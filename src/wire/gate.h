// The memory that the agent in a target shares with the broker of `tactus gate`. Three memory
// files:
//
//   control   which classes are held, and the rules        the broker writes, agents only read
//   bell      a word on which the broker sleeps            agents write; it means nothing else
//   client    what one process launched and waited for     its agent writes, the broker only reads
//
// All sizes are fixed and sealed. Neither side believes what it reads: an agent copies the rules
// when it connects and bounds every wait by its own clock; the broker bounds-checks all counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus::wire {

inline constexpr std::uint64_t kGateMagic = 0x3165746167747474;  // "tttgate1"
/// Changes with every change of this file.
inline constexpr std::uint32_t kGateVersion = 5;

inline constexpr std::uint32_t kGateClasses = 8;
inline constexpr std::uint32_t kGateRules = 32;
inline constexpr std::uint32_t kGateSlots = 256;  ///< processes at the same time
inline constexpr std::uint32_t kGateMembers = 1024;
inline constexpr std::uint32_t kNoClass = 0xff;
/// Launches of a class that may be queued on a stream, at most.
inline constexpr std::uint32_t kMostDepth = 64;

/// The longest that a launch is held, whatever the broker says.
inline constexpr std::uint64_t kMostHoldNs = 100'000'000;
/// A broker that has not renewed its heartbeat for so long is treated as gone.
inline constexpr std::uint64_t kBrokerIsGoneNs = 100'000'000;

/// Environment of a target: "1" lets a broker hold its launches; the tag of its process; where the
/// broker listens, if not at the usual place.
inline constexpr const char* kGateVariable = "TACTUS_GATE";
inline constexpr const char* kGateTagVariable = "TACTUS_GATE_TAG";
inline constexpr const char* kGateSocketVariable = "TACTUS_GATE_SOCKET";

/// FNV-1a of names: tags, phases, kernels.
inline std::uint64_t gate_hash(const char* text, std::size_t length) {
  std::uint64_t hash = 1469598103934665603u;
  for (std::size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211u;
  }
  return hash == 0 ? 1 : hash;
}

/// Kernels whose names have one of these wait for other processes: to hold one is to hold all.
inline constexpr const char* kCollectiveWords[] = {"nccl",           "nvshmem",   "all_reduce",
                                                   "allreduce",      "AllReduce", "all_gather",
                                                   "reduce_scatter", "deep_ep"};

/// How many launches may be queued: `depth`, or fewer if they take more than `queue_ns` together;
/// two at least, so that the GPU has the next one when one is done.
inline std::uint32_t depth_of(std::uint32_t depth, std::uint64_t queue_ns, std::uint64_t cost_ns) {
  if (queue_ns == 0 || cost_ns == 0 || depth <= 2) return depth;
  const std::uint64_t fit = queue_ns / cost_ns;
  return fit >= depth ? depth : fit < 2 ? 2 : static_cast<std::uint32_t>(fit);
}

/// How agents measure: launches per event, the more may be queued, the fewer are needed; events of
/// a stream at a time; graph launches per one that is timed.
inline std::uint32_t launches_per_mark(std::uint32_t depth) {
  const std::uint32_t step = depth / 4;
  return step < 1 ? 1 : step > 8 ? 8 : step;
}
inline constexpr std::uint32_t kQueueMarks = 16;
/// A launch that waits for room looks all the time at first, then between naps.
inline constexpr std::int64_t kQueueSpinNs = 100'000;
inline constexpr std::int64_t kQueueNapNs = 20'000;
inline constexpr std::uint32_t kGraphsPerTiming = 8;

/// Kernels differ: the mean of those of late. `before` is 0 if nothing is known.
inline std::uint64_t mean_cost(std::uint64_t before, std::uint64_t sample) {
  return before == 0 ? sample : before - before / 16 + sample / 16;
}
/// A graph takes what it takes, and longer if others are on the GPU: leans to the shortest.
inline std::uint64_t shortest_cost(std::uint64_t before, std::uint64_t sample) {
  const bool is_shorter = before == 0 || sample < before;
  return is_shorter ? sample : before + (sample - before) / 32;
}

/// What a launch must be to belong to a class; 0 means "any".
struct GateRule {
  std::uint64_t tag;    ///< gate_hash of the process's tag
  std::uint64_t phase;  ///< gate_hash of what the thread said by tactus_phase
  std::uint32_t kinds;  ///< 1: kernels, 2: graphs, 3: both
  std::uint32_t has_priority;
  std::int32_t least_priority;  ///< of the stream, as the driver counts: lower is more urgent
  std::int32_t most_priority;
  std::uint32_t class_number;
  std::uint32_t has_rows;
  std::uint64_t least_rows;  ///< of the thread's last product of matrices; a graph has none
  std::uint64_t most_rows;
};

/// The gate word: bits 0 to 7 are the classes that are held, 8 to 15 those that are counted, 16 to
/// 23 those whose depth is limited, the rest counts changes. All is open, and nothing is counted,
/// if the first 24 are 0.
inline constexpr std::uint32_t kGateClosedBits = 0x0000ff;
inline constexpr std::uint32_t kGateBusyBits = 0xffffff;
inline constexpr std::uint32_t kGateCountsAll = 0x00ff00;
inline constexpr std::uint32_t kGateEpoch = 0x1000000;
inline constexpr std::uint32_t kGateCountedShift = 8;
inline constexpr std::uint32_t kGateLimitedShift = 16;

enum GateSlotFlag : std::uint32_t { kMayBeHeld = 1 };

struct GateControl {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t bytes;
  alignas(64) std::atomic<std::uint32_t> word;
  std::atomic<std::uint32_t> is_serving;
  std::atomic<std::uint64_t> heartbeat_ns;  ///< CLOCK_MONOTONIC
  alignas(64) std::uint64_t max_hold_ns;
  std::uint64_t queue_ns;  ///< GPU time of what may be queued where the depth is limited; 0: any
  std::uint32_t rules;
  std::uint32_t
      ringing;          ///< bit per class: the broker wants to know at once when it comes and goes
  std::uint32_t timed;  ///< bit per class: the GPU time of its graphs is wanted
  std::uint32_t depth[kGateClasses];  ///< launches on a stream, while limited; 0: any number
  std::uint32_t members;  ///< kernels that follow the head of their group and are never held
  GateRule rule[kGateRules];
  std::uint64_t member[kGateMembers];  ///< gate_hash of names, sorted
  std::atomic<std::uint32_t> slots[kGateSlots];
};

struct GateBell {
  std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> is_waited_for;
};

/// Of one class in one process. Counts only grow.
struct alignas(64) GateCounts {
  std::atomic<std::uint64_t> submitted;  ///< units that went to the driver while counted
  std::atomic<std::uint64_t> done;       ///< of these, known to be finished: somebody waited
  std::atomic<std::uint64_t> held;       ///< launches that waited here
  std::atomic<std::uint64_t> held_ns;
  std::atomic<std::uint64_t> expired;  ///< went on because max_hold was over
  std::atomic<std::uint64_t> rested;   ///< went on because the class was held for half a second
  std::atomic<std::uint64_t> longest_ns;
  /// The most that a launch went on after its wait was over: its thread had no core.
  std::atomic<std::uint64_t> latest_ns;
  std::atomic<std::uint64_t> queued;  ///< launches that waited because of the depth limit
  std::atomic<std::uint64_t> queued_ns;
  std::atomic<std::uint64_t> cost_ns;  ///< GPU time of a launch or graph, estimated; 0: unknown
  std::atomic<std::uint32_t> waiting;  ///< now
};

struct GateClient {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t bytes;
  GateCounts counts[kGateClasses];
};

/// An agent's message, with the client file.
struct GateHello {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t what;  ///< GateRequest
  std::int32_t rank;
  std::int32_t world_size;
  std::uint64_t job;  ///< processes of one job have the same
  std::int64_t pid;   ///< requests about a process
  char tag[64];
};

enum GateRequest : std::uint32_t {
  kGateJoin = 1,
  kGateStatus = 2,
  kGateDetach = 3,
  kGateAttach = 4,
  kGateStop = 5,
};

/// The answer, with the files control and bell.
struct GateWelcome {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t slot;
};

}  // namespace tactus::wire
