// The binary interface of the CUDA driver, as far as the stand-in has it.
#pragma once

#include <cstddef>
#include <cstdint>

#define STANDIN_SHOWN extern "C" __attribute__((visibility("default")))

namespace standin {

// Values of CUresult.
inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kNotInitialized = 3;
inline constexpr int kInvalidDevice = 101;
inline constexpr int kInvalidContext = 201;
inline constexpr int kInvalidHandle = 400;
inline constexpr int kNotFound = 500;
inline constexpr int kNotReady = 600;
inline constexpr int kGraphUpdateFailed = 910;
inline constexpr int kCaptureUnsupported = 900;
inline constexpr int kCaptureInvalidated = 901;
inline constexpr int kCaptureUnmatched = 903;
inline constexpr int kCaptureUnjoined = 904;

using DevicePointer = std::uint64_t;
using HostFunction = void (*)(void*);

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};

/// CUDA_KERNEL_NODE_PARAMS_v2 and _v3.
struct KernelNodeParams {
  void* function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void** params;
  void** extra;
  void* kernel;
  void* context;
};

/// CUDA_MEMCPY2D
struct Copy2d {
  struct Side {
    std::size_t x, y;
    int memory_type;
    const void* host;
    DevicePointer device;
    void* array;
    std::size_t pitch;
  };
  Side from;
  Side to;
  std::size_t row_bytes;
  std::size_t rows;
};
inline constexpr int kHostMemory = 1;

/// The beginning of CUmemAllocationProp
struct AllocationProps {
  int type;
  int handle_types;
  int location_type;
  int location_id;
};

/// CUgraphExecUpdateResultInfo
struct UpdateResult {
  int result;
  void* node;
  void* node_before;
};
inline constexpr int kUpdateDone = 0;
inline constexpr int kUpdateOtherTopology = 2;
inline constexpr int kUpdateOtherNodeType = 3;

struct EdgeData {
  unsigned char bytes[8];
};

// CUgraphNodeType
inline constexpr int kKernelNode = 0;
inline constexpr int kCopyNode = 1;
inline constexpr int kFillNode = 2;
inline constexpr int kHostNode = 3;
inline constexpr int kEmptyNode = 5;
inline constexpr int kWaitNode = 6;
inline constexpr int kRecordNode = 7;

// CUstreamCaptureMode
inline constexpr int kGlobalCapture = 0;
inline constexpr int kRelaxedCapture = 2;

/// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD
inline constexpr std::uintptr_t kLegacyStream = 1;
inline constexpr std::uintptr_t kPerThreadStream = 2;
inline constexpr unsigned kNonBlocking = 1;

}  // namespace standin
