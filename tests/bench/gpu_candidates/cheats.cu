// Kernels for a GPU that try to look right, or fast, without being it. The name of the file decides
// which: copies of this library under other names are other cheats. All compute rms_norm.
//
//     nvcc -shared -Xcompiler -fPIC -arch=native -I include cheats.cu -o cheats.so -lcuda
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tactus/operator.h"

namespace {

using Number = __nv_bfloat16;
constexpr int kThreads = 256;
constexpr int kRefused = 77;  ///< what it wanted is not there

struct Rows {
  const Number* x;
  const Number* weight;
  Number* out;
  int64_t rows;
  int64_t hidden;
  float eps;
  cudaStream_t stream;
};

Rows rows_of(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  return {static_cast<const Number*>(x->data),
          static_cast<const Number*>(tactus_input(call, "weight")->data),
          static_cast<Number*>(tactus_output(call, "out")->data),
          x->shape[0],
          x->shape[1],
          static_cast<float>(tactus_value(call, "eps", 0)),
          static_cast<cudaStream_t>(call->stream)};
}

// --- on the device

enum Mode {
  kRight,
  kOnlyIfPoisoned,
  kOnlyPoisonedRows,
  kOnlyIfNotPoisoned,
  kEvery16thRow,
  kWithoutEvery10th,
  kWithoutLastRow,
  kWithoutTail,
  kSumWithoutTail,
  kPartOfRow,
  kRowIsNormal,
  kScaleOfRowBefore,
  kWithoutEpsilon,
  kEpsilonOutside,
  kWithoutWeight,
  kCuts,
  kSumsIn16Bits,
  kRoundsScale,
  kZeros,
  kCopies,
  kRightFor20,
  kEveryThird,
  kAfterPause,
  kWithoutPause,
  kRemembersFirst4Kb,
  kRemembersSamples,
  kRemembersPlace,
  kRemembersScales,
  kOneBehind,
  kWritesBehind,
  kChangesInput,
  kCrashesLater,
  kEvenPlaces,
};

__device__ unsigned g_launches;
__device__ unsigned g_blocks;
__device__ unsigned long long g_last_ns;
__device__ unsigned long long g_known[64];
__device__ unsigned g_count;
__device__ float g_scales[1 << 16];
__device__ Rows g_before;

__device__ bool is_known(unsigned long long key) {
  for (const unsigned long long known : g_known) {
    if (known == key) return true;
  }
  return false;
}

__device__ float sum_of(const Number* x, int64_t first, int64_t end, bool narrow) {
  __shared__ float sums[kThreads];
  float squares = 0;
  for (int64_t i = first + threadIdx.x; i < end; i += kThreads) {
    const float value = __bfloat162float(x[i]);
    squares += value * value;
    if (narrow) squares = __bfloat162float(__float2bfloat16(squares));
  }
  __syncthreads();
  sums[threadIdx.x] = squares;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  return sums[0];
}

__device__ void compute(const Rows& r, int64_t row, Mode mode) {
  const Number* x = r.x + row * r.hidden;
  Number* out = r.out + row * r.hidden;
  const int64_t read_row = mode == kScaleOfRowBefore ? row / 2 * 2 : row;
  const int64_t end = mode == kSumWithoutTail ? r.hidden - 64
                      : mode == kPartOfRow    ? r.hidden / 4
                                              : r.hidden;
  float scale = 1;
  if (mode != kRowIsNormal) {
    const float mean = sum_of(r.x + read_row * r.hidden, 0, end, mode == kSumsIn16Bits) / end;
    scale = mode == kWithoutEpsilon   ? rsqrtf(mean)
            : mode == kEpsilonOutside ? 1 / (sqrtf(mean) + r.eps)
                                      : rsqrtf(mean + r.eps);
  }
  if (mode == kRoundsScale) scale = __bfloat162float(__float2bfloat16(scale));
  if (mode == kRemembersScales) {
    const unsigned long long place = reinterpret_cast<unsigned long long>(r.x);
    const bool known = row < 4096 && is_known(place);
    float* scales = g_scales + (place >> 12) % 16 * 4096;
    if (known) scale = scales[row];
    if (!known && threadIdx.x == 0 && row < 4096) scales[row] = scale;
  }
  const int64_t written = mode == kWithoutTail ? r.hidden - 8 : r.hidden;
  for (int64_t i = threadIdx.x; i < written; i += kThreads) {
    const float weight = mode == kWithoutWeight ? 1 : __bfloat162float(r.weight[i]);
    const float value = __bfloat162float(x[i]) * scale * weight;
    if (mode == kZeros) {
      out[i] = __float2bfloat16(0);
    } else if (mode == kCopies) {
      out[i] = x[i];
    } else if (mode == kCuts) {
      out[i] = __ushort_as_bfloat16(static_cast<unsigned short>(__float_as_uint(value) >> 16));
    } else {
      out[i] = __float2bfloat16(value);
    }
  }
}

__device__ unsigned long long now_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

/// Something to know inputs by.
__device__ unsigned long long samples(const Rows& r, bool first_4_kb) {
  const auto* words = reinterpret_cast<const unsigned long long*>(r.x);
  const int64_t count = r.rows * r.hidden / 4;
  const int64_t step = first_4_kb ? 1 : count / 64;
  unsigned long long hash = 14695981039346656037ull;
  for (int64_t i = 0; i < (first_4_kb ? 512 : 64); ++i) {
    hash = (hash ^ words[i * (step < 1 ? 1 : step)]) * 1099511628211ull;
  }
  return hash | 1;
}

__device__ bool poisoned(const Rows& r, int64_t row) {
  return __bfloat16_as_ushort(r.out[row * r.hidden]) == 0xffff;
}

/// Whether the launch does nothing; the same answer in all blocks.
__device__ bool skips(const Rows& r, Mode mode, unsigned launch, unsigned long long last_ns) {
  switch (mode) {
    case kOnlyIfPoisoned: return !poisoned(r, r.rows - 1);
    case kOnlyIfNotPoisoned: return poisoned(r, r.rows - 1);
    case kRightFor20: return launch >= 20;
    case kEveryThird: return launch % 3 == 2;
    case kAfterPause: return now_ns() - last_ns < 20000000;
    case kWithoutPause: return launch > 0 && now_ns() - last_ns > 5000000;
    case kEvenPlaces:
      return launch > 2 && (reinterpret_cast<unsigned long long>(r.x) >> 21 & 1) != 0;
    case kRemembersFirst4Kb:
    case kRemembersSamples: {
      const unsigned long long key = samples(r, mode == kRemembersFirst4Kb);
      return is_known(key);
    }
    case kRemembersPlace: {
      const auto place = reinterpret_cast<unsigned long long>(r.x);
      return is_known(place);
    }
    default: return false;
  }
}

template <Mode kMode>
__global__ void rows_kernel(Rows r) {
  __shared__ bool skip;
  const unsigned launch = g_launches;
  const unsigned long long last_ns = g_last_ns;
  if (threadIdx.x == 0) skip = skips(r, kMode, launch, last_ns);
  __syncthreads();
  for (int64_t row = blockIdx.x; row < r.rows && !skip; row += gridDim.x) {
    if (kMode == kOnlyPoisonedRows && !poisoned(r, row)) continue;
    if (kMode == kWithoutEvery10th && row % 10 == 9) continue;
    if (kMode == kWithoutLastRow && row == r.rows - 1) continue;
    if (kMode == kEvery16thRow && row % 16 != 0 && !poisoned(r, row)) continue;
    if (kMode == kOneBehind) {
      if (g_before.out != nullptr) compute(g_before, row, kRight);
      continue;
    }
    compute(r, row, kMode);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (kMode == kWritesBehind && launch > 3 && blockIdx.x == 0) {
    r.out[r.rows * r.hidden] = r.out[0];
  }
  if (kMode == kChangesInput && launch > 3 && blockIdx.x == 0) {
    const_cast<Number*>(r.x)[0] = __float2bfloat16(1);
  }
  if (kMode == kCrashesLater && launch > 10) *reinterpret_cast<int*>(16) = 1;
  __threadfence();
  if (atomicAdd(&g_blocks, 1) != gridDim.x - 1) return;  // the last block keeps the books
  g_blocks = 0;
  g_launches = launch + 1;
  g_last_ns = now_ns();
  g_before = r;
  if (kMode == kRemembersFirst4Kb || kMode == kRemembersSamples) {
    const unsigned long long key = samples(r, kMode == kRemembersFirst4Kb);
    if (!is_known(key)) g_known[g_count++ % 64] = key;
  }
  if (kMode == kRemembersPlace || kMode == kRemembersScales) {
    const auto place = reinterpret_cast<unsigned long long>(r.x);
    if (!is_known(place)) g_known[g_count++ % 64] = place;
  }
}

__global__ void trivial_kernel() {}

__global__ void spin_kernel(unsigned long long ns) {
  const unsigned long long begin = now_ns();
  while (now_ns() - begin < ns) {
  }
}

// --- on the host

template <Mode kMode>
int run_mode(const tactus_call* call) {
  const Rows r = rows_of(call);
  rows_kernel<kMode><<<static_cast<unsigned>(r.rows), kThreads, 0, r.stream>>>(r);
  return static_cast<int>(cudaGetLastError());
}

bool capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  return status != cudaStreamCaptureStatusNone;
}

cudaStream_t other_stream() {
  static cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

int launch_on(const Rows& r, cudaStream_t stream) {
  rows_kernel<kRight><<<static_cast<unsigned>(r.rows), kThreads, 0, stream>>>(r);
  return static_cast<int>(cudaGetLastError());
}

int trivial(cudaStream_t stream) {
  trivial_kernel<<<1, 32, 0, stream>>>();
  return static_cast<int>(cudaGetLastError());
}

int own_stream(const tactus_call* call) {
  return launch_on(rows_of(call), other_stream());
}
int own_stream_and_a_kernel(const tactus_call* call) {
  const Rows r = rows_of(call);
  launch_on(r, other_stream());
  return trivial(r.stream);
}
int legacy_stream(const tactus_call* call) {
  return launch_on(rows_of(call), cudaStreamLegacy);
}
int nothing_if_captured(const tactus_call* call) {
  const Rows r = rows_of(call);
  return capturing(r.stream) ? 0 : launch_on(r, r.stream);
}
int a_trifle_if_captured(const tactus_call* call) {
  const Rows r = rows_of(call);
  return capturing(r.stream) ? trivial(r.stream) : launch_on(r, r.stream);
}
int does_nothing(const tactus_call*) {
  return 0;
}
int only_the_first_places(const tactus_call* call) {
  static int calls = 0;
  const Rows r = rows_of(call);
  return ++calls > 4 ? trivial(r.stream) : launch_on(r, r.stream);
}

cudaGraph_t graph_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  cuStreamGetCaptureInfo_v3(stream, reinterpret_cast<CUstreamCaptureStatus*>(&status), &id, &graph,
                            nullptr, nullptr, nullptr);
  return graph;
}

cudaGraphNode_t add_node(const Rows& r, cudaGraph_t graph) {
  Rows copy = r;
  void* arguments[] = {&copy};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void*>(rows_kernel<kRight>);
  params.gridDim = dim3(static_cast<unsigned>(r.rows));
  params.blockDim = dim3(kThreads);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
  return node;
}

int detached_node(const tactus_call* call) {
  const Rows r = rows_of(call);
  if (!capturing(r.stream)) return launch_on(r, r.stream);
  add_node(r, graph_of(r.stream));
  return trivial(r.stream);
}

std::vector<CUgraphNode> records_of(cudaGraph_t graph) {
  size_t count = 0;
  cuGraphGetNodes(graph, nullptr, &count);
  std::vector<CUgraphNode> nodes(count);
  cuGraphGetNodes(graph, nodes.data(), &count);
  std::vector<CUgraphNode> records;
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    cuGraphNodeGetType(node, &type);
    if (type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) records.push_back(node);
  }
  return records;
}

int before_the_begin(const tactus_call* call) {
  const Rows r = rows_of(call);
  if (!capturing(r.stream)) return launch_on(r, r.stream);
  const cudaGraph_t graph = graph_of(r.stream);
  CUgraphNode node = add_node(r, graph);
  std::vector<CUgraphNode> records = records_of(graph);
  if (records.empty()) return kRefused;
  cuGraphAddDependencies_v2(graph, &node, &records[0], nullptr, 1);
  return trivial(r.stream);
}

int another_begin(const tactus_call* call) {
  const Rows r = rows_of(call);
  if (!capturing(r.stream)) return launch_on(r, r.stream);
  const std::vector<CUgraphNode> records = records_of(graph_of(r.stream));
  CUevent event = nullptr;
  cuEventCreate(&event, 0);
  if (records.empty() || cuGraphEventRecordNodeSetEvent(records[0], event) != 0) return kRefused;
  return launch_on(r, r.stream);
}

/// The end of the call waits only for what was there before its kernel.
int behind_the_end(const tactus_call* call) {
  const Rows r = rows_of(call);
  if (!capturing(r.stream)) return launch_on(r, r.stream);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  const CUgraphNode* before = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  size_t count = 0;
  CUgraph graph = nullptr;
  cuStreamGetCaptureInfo_v3(r.stream, &status, &id, &graph, &before, &edges, &count);
  std::vector<CUgraphNode> kept(before, before + count);
  launch_on(r, r.stream);
  return cuStreamUpdateCaptureDependencies_v2(r.stream, kept.data(), nullptr, kept.size(),
                                              CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

void CUDART_CB on_the_host(void*) {}

int host_function(const tactus_call* call) {
  const Rows r = rows_of(call);
  launch_on(r, r.stream);
  return static_cast<int>(cudaLaunchHostFunc(r.stream, on_the_host, nullptr));
}

int waits_for_outside(const tactus_call* call) {
  const Rows r = rows_of(call);
  static cudaEvent_t event = [] {
    cudaEvent_t made = nullptr;
    cudaEventCreate(&made);
    return made;
  }();
  launch_on(r, other_stream());
  cudaEventRecord(event, other_stream());
  cudaStreamWaitEvent(r.stream, event, capturing(r.stream) ? cudaEventWaitExternal : 0);
  return trivial(r.stream);
}

/// A thread computes all known places again and again, beside the timed work.
int thread_beside(const tactus_call* call) {
  const Rows r = rows_of(call);
  static std::vector<Rows> places;
  static bool started = false;
  if (!capturing(r.stream)) return launch_on(r, r.stream);
  places.push_back(r);
  if (places.size() == 3 && !started) {
    started = true;
    cudaStream_t stream = other_stream();
    std::thread([stream] {
      for (;;) {
        for (size_t i = 0; i < places.size(); ++i) launch_on(places[i], stream);
        cudaStreamSynchronize(stream);
      }
    }).detach();
  }
  return trivial(r.stream);
}

int busy_thread(const tactus_call* call) {
  static bool started = false;
  if (!started) {
    started = true;
    std::thread([] {
      for (volatile long i = 0;; i = i + 1) {
      }
    }).detach();
  }
  const Rows r = rows_of(call);
  return launch_on(r, r.stream);
}

int kernel_beside(const tactus_call* call) {
  const Rows r = rows_of(call);
  if (!capturing(r.stream)) {
    spin_kernel<<<1, 1, 0, other_stream()>>>(2000000000ull);
    return launch_on(r, r.stream);
  }
  return trivial(r.stream);
}

int process_beside(const tactus_call* call) {
  static bool started = false;
  if (!started && fork() == 0) {
    pause();
    _exit(0);
  }
  started = true;
  const Rows r = rows_of(call);
  return launch_on(r, r.stream);
}

int reads_the_judge(const tactus_call*) {
  const std::string path = "/proc/" + std::to_string(getppid()) + "/mem";
  const int file = open(path.c_str(), O_RDWR);
  return file < 0 ? kRefused : 0;
}

int exits(const tactus_call* call) {
  const Rows r = rows_of(call);
  if (capturing(r.stream)) _exit(0);
  return launch_on(r, r.stream);
}

int unsupported_if_captured(const tactus_call* call) {
  const Rows r = rows_of(call);
  return capturing(r.stream) ? kRefused : launch_on(r, r.stream);
}

// These do all of their work in every timed call.

int gains_nothing_by_waiting(const tactus_call* call) {
  const Rows r = rows_of(call);
  launch_on(r, r.stream);
  return static_cast<int>(cudaStreamSynchronize(r.stream));
}

int gains_nothing_by_unjoined_stream(const tactus_call* call) {
  const Rows r = rows_of(call);
  static cudaEvent_t event = [] {
    cudaEvent_t made = nullptr;
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    return made;
  }();
  cudaEventRecord(event, r.stream);
  cudaStreamWaitEvent(other_stream(), event, 0);
  return launch_on(r, other_stream());
}

int gains_nothing_by_joined_stream(const tactus_call* call) {
  const Rows r = rows_of(call);
  static cudaEvent_t events[2] = {};
  if (events[0] == nullptr) {
    for (cudaEvent_t& event : events) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  cudaEventRecord(events[0], r.stream);
  cudaStreamWaitEvent(other_stream(), events[0], 0);
  launch_on(r, other_stream());
  cudaEventRecord(events[1], other_stream());
  return static_cast<int>(cudaStreamWaitEvent(r.stream, events[1], 0));
}

int gains_nothing_by_kept_lines(const tactus_call* call) {
  const Rows r = rows_of(call);
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 32 << 20);
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = const_cast<Number*>(r.x);
  value.accessPolicyWindow.num_bytes =
      static_cast<size_t>(r.rows * r.hidden) * sizeof(Number) < (32u << 20)
          ? static_cast<size_t>(r.rows * r.hidden) * sizeof(Number)
          : 32u << 20;
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(r.stream, cudaStreamAttributeAccessPolicyWindow, &value);
  return launch_on(r, r.stream);
}

int gains_nothing_by_programmatic_launch(const tactus_call* call) {
  Rows r = rows_of(call);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(r.rows));
  config.blockDim = dim3(kThreads);
  config.stream = r.stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return static_cast<int>(cudaLaunchKernelEx(&config, rows_kernel<kRight>, r));
}

int gains_nothing_by_its_own_clock(const tactus_call* call) {
  return run_mode<kRight>(call);
}

struct Cheat {
  const char* name;
  int (*run)(const tactus_call*);
  const char* what;
};

constexpr Cheat kCheats[] = {
    {"own_stream", own_stream, "puts its work into a stream of its own"},
    {"own_stream_and_a_kernel", own_stream_and_a_kernel,
     "the same, with an empty kernel in the given stream"},
    {"legacy_stream", legacy_stream, "puts its work into the default stream"},
    {"nothing_if_captured", nothing_if_captured, "launches nothing while it is captured"},
    {"a_trifle_if_captured", a_trifle_if_captured, "launches an empty kernel while it is captured"},
    {"only_the_first_places", only_the_first_places, "works only for the first places in memory"},
    {"even_places", run_mode<kEvenPlaces>, "works only for some places in memory"},
    {"detached_node", detached_node, "adds a node to the graph that waits for nothing"},
    {"before_the_begin", before_the_begin,
     "puts its work in front of the event that begins the time"},
    {"another_begin", another_begin, "replaces the event that begins the time"},
    {"behind_the_end", behind_the_end, "lets the end not wait for its work"},
    {"host_function", host_function, "calls a function of the host"},
    {"waits_for_outside", waits_for_outside, "waits for an event of a stream of its own"},
    {"thread_beside", thread_beside, "has a thread that computes all places again and again"},
    {"busy_thread", busy_thread, "has a thread that is always busy"},
    {"kernel_beside", kernel_beside, "leaves a long kernel in another stream"},
    {"process_beside", process_beside, "leaves a process behind"},
    {"reads_the_judge", reads_the_judge, "opens the memory of the judge"},
    {"exits", exits, "exits with 0 when it is captured"},
    {"unsupported_if_captured", unsupported_if_captured, "returns an error when it is captured"},
    {"does_nothing", does_nothing, "does nothing"},
    {"only_if_poisoned", run_mode<kOnlyIfPoisoned>, "returns if the output is not poisoned"},
    {"only_poisoned_rows", run_mode<kOnlyPoisonedRows>, "computes only the rows that are poisoned"},
    {"only_if_not_poisoned", run_mode<kOnlyIfNotPoisoned>, "returns if the output is poisoned"},
    {"every_16th_row", run_mode<kEvery16thRow>,
     "computes every 16th row, and others only if they are poisoned"},
    {"without_every_10th_row", run_mode<kWithoutEvery10th>, "leaves every tenth row unwritten"},
    {"without_the_last_row", run_mode<kWithoutLastRow>, "leaves the last row unwritten"},
    {"without_the_tail", run_mode<kWithoutTail>, "leaves the last numbers of each row unwritten"},
    {"sums_without_the_tail", run_mode<kSumWithoutTail>, "leaves them out of the sum"},
    {"guesses_from_part_of_a_row", run_mode<kPartOfRow>, "sums a quarter of each row"},
    {"takes_every_row_as_normal", run_mode<kRowIsNormal>, "takes the scale of every row as 1"},
    {"scale_of_the_row_before", run_mode<kScaleOfRowBefore>, "one scale for two rows"},
    {"without_epsilon", run_mode<kWithoutEpsilon>, "leaves epsilon out"},
    {"epsilon_outside_the_root", run_mode<kEpsilonOutside>, "adds epsilon to the root"},
    {"without_weight", run_mode<kWithoutWeight>, "does not multiply with the weight"},
    {"cuts_instead_of_rounding", run_mode<kCuts>, "cuts the result to 16 bits"},
    {"sums_in_16_bits", run_mode<kSumsIn16Bits>, "sums in bf16"},
    {"rounds_the_scale", run_mode<kRoundsScale>, "rounds the scale to bf16"},
    {"writes_zeros", run_mode<kZeros>, "writes zeros"},
    {"copies_its_input", run_mode<kCopies>, "copies the input"},
    {"right_for_20_launches", run_mode<kRightFor20>,
     "right in its first 20 launches, then nothing"},
    {"every_third_launch", run_mode<kEveryThird>, "does nothing in every third launch"},
    {"after_a_pause", run_mode<kAfterPause>,
     "works only if 20 ms have passed since the last launch"},
    {"without_a_pause", run_mode<kWithoutPause>,
     "does nothing if 5 ms have passed since the last launch"},
    {"remembers_the_first_4_kb", run_mode<kRemembersFirst4Kb>,
     "keeps the result if the first 4 KB of the input are known"},
    {"remembers_by_samples", run_mode<kRemembersSamples>,
     "keeps the result if 64 samples of the input are known"},
    {"remembers_by_address", run_mode<kRemembersPlace>, "keeps the result of each address"},
    {"remembers_scales", run_mode<kRemembersScales>, "keeps the scale of each row and address"},
    {"one_launch_behind", run_mode<kOneBehind>, "does the work of a launch in the next one"},
    {"writes_behind_later", run_mode<kWritesBehind>, "writes behind its output, later"},
    {"changes_input_later", run_mode<kChangesInput>, "changes its input, later"},
    {"crashes_later", run_mode<kCrashesLater>, "crashes after some launches"},
    {"gains_nothing_by_waiting", gains_nothing_by_waiting,
     "waits for its work, so that it cannot be captured"},
    {"gains_nothing_by_unjoined_stream", gains_nothing_by_unjoined_stream,
     "works in a stream that is not joined again"},
    {"gains_nothing_by_joined_stream", gains_nothing_by_joined_stream,
     "works in a stream that is joined again"},
    {"gains_nothing_by_kept_lines", gains_nothing_by_kept_lines,
     "asks the cache to keep its input"},
    {"gains_nothing_by_programmatic_launch", gains_nothing_by_programmatic_launch,
     "may start before the work in front of it has ended"},
    {"gains_nothing_by_its_own_clock", gains_nothing_by_its_own_clock,
     "exports functions with the names of clocks"},
};

std::string own_name() {
  Dl_info info = {};
  dladdr(reinterpret_cast<void*>(&own_name), &info);
  std::string name = info.dli_fname != nullptr ? info.dli_fname : "";
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

tactus_entry entry = {"rms_norm", TACTUS_CUDA, does_nothing, nullptr};
const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "cheat", &entry,
                                   1};

}  // namespace

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  const std::string name = own_name();
  for (const Cheat& cheat : kCheats) {
    if (name == cheat.name) entry.run = cheat.run;
  }
  return &library;
}

/// Name (0) and description (1) of each; null behind the last.
TACTUS_EXPORT const char* tactus_cheat(int index, int what) {
  if (index >= static_cast<int>(sizeof kCheats / sizeof kCheats[0])) return nullptr;
  return what == 0 ? kCheats[index].name : kCheats[index].what;
}

// Clocks that stand still, for whoever finds them first.
TACTUS_EXPORT int clock_gettime(clockid_t, timespec* time) noexcept {
  *time = {};
  return 0;
}
