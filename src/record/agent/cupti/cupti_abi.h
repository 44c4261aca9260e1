// The part of CUPTI (12.0 to 13.x) that is used, declared here: the agent builds without CUDA, and
// loads CUPTI only when it is wanted. Fields of records have kept their places since 12.0
// (CUpti_ActivityKernel8 to 10, CUpti_ActivityMemcpy5 to 6, CUpti_ActivityMemset4);
// tests/standin/cupti compares them with the toolkit's headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::cupti {

inline constexpr int kSuccess = 0;
inline constexpr int kSomebodyElse = 39;  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED

// CUpti_ActivityKind
inline constexpr std::uint32_t kMemcpy = 1, kMemset = 2, kConcurrentKernel = 10;
// CUpti_CallbackDomain, CUpti_ApiCallbackSite
inline constexpr std::uint32_t kDriverCalls = 1;
inline constexpr int kEnter = 0;

/// First and last CUpti_driver_api_trace_cbid of calls that put work on a device: launches, graphs,
/// copies and fills, with their forms for the stream of a thread.
inline constexpr std::uint32_t kLaunchCalls[][2] = {
    {216, 216}, {218, 218}, {220, 220}, {222, 222}, {224, 224}, {226, 226},
    {248, 254}, {276, 293}, {305, 307}, {318, 321}, {397, 416}, {418, 433},
    {442, 442}, {477, 478}, {514, 515}, {652, 653}, {776, 779}, {796, 799}};

inline constexpr std::uint32_t kLaunchKernel = 307;

/// The beginning of CUpti_ActivityKernel10.
struct Kernel {
  std::uint32_t kind;
  std::uint8_t cache[2];
  std::uint16_t registers;
  std::uint32_t partitioned[2];
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total, correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch_type, was_shared_executed, spare[2];
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_limit, graph;
  void* policy_window;
  std::uint32_t channel, channel_type;
  std::uint32_t cluster[3];
};

/// The beginning of CUpti_ActivityMemcpy6.
struct Memcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind, from_kind, to_kind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation, runtime_correlation, spare;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
};

/// The beginning of CUpti_ActivityMemset4.
struct Memset {
  std::uint32_t kind, value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
  std::uint16_t flags, memory_kind;
  std::uint32_t spare;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
};

/// The beginning of CUpti_CallbackData.
struct CallbackData {
  int site;
  const char* function;
  const void* params;
  void* result;
  const char* symbol;
  void* context;
  std::uint32_t context_number;
  std::uint64_t* data;
  std::uint32_t correlation;
};

/// CUpti_SubscriberParams
struct SubscriberParams {
  std::size_t size;
  const char* name;
  char* old_name;
  std::size_t old_name_size;
};

using Callback = void (*)(void*, int, std::uint32_t, const void*);
using RequestBuffer = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using BufferIsFull = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

}  // namespace tactus::cupti
