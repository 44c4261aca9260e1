#pragma once

#include <cstdint>

namespace tactus::wire {

/// What a record is about; the numbers are part of the layout.
enum class RecordKind : std::uint8_t {
  kNone = 0,
  kLaunch = 1,  ///< of a kernel
  kGraphLaunch = 2,
  kCopy = 3,
  kFill = 4,
  kSynchronise = 5,  ///< the host waits for the device
  kAllocate = 6,
  kFree = 7,
  kHostFunction = 8,
  kGpuTime = 9,       ///< the device worked from .. to, by events
  kEngineStep = 10,   ///< a step of an inference engine begins with the next launch
  kOperator = 11,     ///< a call of a library around launches
  kCapture = 12,      ///< the capture of a graph begins or ends
  kCorrelation = 13,  ///< words[0]: CUPTI's number of the call that the next record is
};

enum RecordFlag : std::uint8_t {
  kCaptured = 1,  ///< the call went into a graph; nothing ran
  kFailed = 2,    ///< the driver returned an error
  kOfGraph = 4,   ///< kGpuTime: of one graph launch; without it, between two synchronisations
  kInStep = 8,    ///< the step function of an engine is on the stack
};

/// What a call was, by its name in the driver.
inline constexpr std::uint32_t kNoName = 0;

/// Blocks of a cluster: at most 31 in each direction.
inline std::uint16_t pack_cluster(unsigned x, unsigned y, unsigned z) {
  return static_cast<std::uint16_t>((x & 31) | (y & 31) << 5 | (z & 31) << 10);
}

struct LaunchPart {
  std::uint32_t grid[3];
  std::uint16_t block[3];
  std::uint16_t cluster;  ///< pack_cluster; 0: none
  std::uint32_t shared_bytes;
  std::uint32_t scope;  ///< the operator around it; 0: unknown
  std::uint32_t stack;  ///< 0: unknown; at the same place in every record but kGpuTime
};

/// Of copies, fills and allocations.
struct MemoryPart {
  std::uint64_t bytes;
  std::uint64_t address;
  std::uint64_t spare;
  std::uint32_t scope;  ///< as in LaunchPart, as the next
  std::uint32_t stack;
};

/// Engines whose steps are known.
enum class Engine : std::uint32_t { kNone = 0, kVllm = 1, kSglang = 2, kTransformers = 3 };

inline constexpr std::uint32_t kUnknownCount = 0xffffffff;

/// What an engine put into a step.
struct EngineStepPart {
  std::uint32_t sequences;
  std::uint32_t tokens;             ///< scheduled for this step
  std::uint32_t context_sequences;  ///< those that read their prompt, as the next
  std::uint32_t context_tokens;
  std::uint32_t mode;  ///< SGLang: ForwardMode
  Engine engine;
  std::uint32_t spare[2];
};

/// The device's times count from a point that nobody knows.
struct GpuTimePart {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t done_ticks;  ///< when the host saw that it was done
  std::uint32_t launches;    ///< since it began
  std::uint32_t clock;       ///< times of one clock can be compared
};

/// One thing that a thread did. Times are ticks (ticks.h).
struct Record {
  std::uint64_t begin_ticks;
  std::uint32_t name;  ///< of the kernel or graph; kNoName: see `call`
  RecordKind kind;
  std::uint8_t flags;
  std::uint16_t stream;  ///< place in the table of streams
  union {
    LaunchPart launch;
    MemoryPart memory;
    GpuTimePart gpu;
    EngineStepPart step;
    std::uint64_t words[4];
  };
  /// Counts the thread's records, lost ones included; in the ring that threads share, it is the
  /// tid.
  std::uint32_t sequence;
  std::uint32_t call;        ///< CallId
  std::uint64_t took_ticks;  ///< time in the call
};
static_assert(sizeof(Record) == 64);

/// The driver's calls that are recorded; the numbers are part of the layout.
enum class CallId : std::uint32_t {
  kUnknown,
  kLaunchKernel,
  kLaunchKernelEx,
  kLaunchCooperativeKernel,
  kGraphLaunch,
  kLaunchHostFunc,
  kMemcpyHtoD,
  kMemcpyDtoH,
  kMemcpyDtoD,
  kMemcpy,
  kMemcpyHtoDAsync,
  kMemcpyDtoHAsync,
  kMemcpyDtoDAsync,
  kMemcpyAsync,
  kMemcpyPeerAsync,
  kMemcpy2DAsync,
  kMemcpy3DAsync,
  kMemsetD8,
  kMemsetD32,
  kMemsetD8Async,
  kMemsetD16Async,
  kMemsetD32Async,
  kStreamSynchronize,
  kEventSynchronize,
  kCtxSynchronize,
  kMemAlloc,
  kMemFree,
  kMemAllocAsync,
  kMemFreeAsync,
  kMemHostAlloc,
  kMemFreeHost,
  kMemCreate,
  kStreamBeginCapture,
  kStreamEndCapture,
  kCount,
};

/// "cuLaunchKernel"
inline const char* call_name(CallId call) {
  constexpr const char* kNames[] = {
      "unknown",
      "cuLaunchKernel",
      "cuLaunchKernelEx",
      "cuLaunchCooperativeKernel",
      "cuGraphLaunch",
      "cuLaunchHostFunc",
      "cuMemcpyHtoD",
      "cuMemcpyDtoH",
      "cuMemcpyDtoD",
      "cuMemcpy",
      "cuMemcpyHtoDAsync",
      "cuMemcpyDtoHAsync",
      "cuMemcpyDtoDAsync",
      "cuMemcpyAsync",
      "cuMemcpyPeerAsync",
      "cuMemcpy2DAsync",
      "cuMemcpy3DAsync",
      "cuMemsetD8",
      "cuMemsetD32",
      "cuMemsetD8Async",
      "cuMemsetD16Async",
      "cuMemsetD32Async",
      "cuStreamSynchronize",
      "cuEventSynchronize",
      "cuCtxSynchronize",
      "cuMemAlloc",
      "cuMemFree",
      "cuMemAllocAsync",
      "cuMemFreeAsync",
      "cuMemHostAlloc",
      "cuMemFreeHost",
      "cuMemCreate",
      "cuStreamBeginCapture",
      "cuStreamEndCapture",
  };
  static_assert(sizeof kNames / sizeof kNames[0] == static_cast<std::uint32_t>(CallId::kCount));
  return call < CallId::kCount ? kNames[static_cast<std::uint32_t>(call)] : kNames[0];
}

}  // namespace tactus::wire
