#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

#include "ceilings.h"
#include "device_work.h"

namespace tactus::cuda_ceilings {
namespace {

constexpr int kChains = 8;  // independent of each other
constexpr int kThreads = 1024;
constexpr int kTurns = 4096;

__device__ double fused(double a, double b, double c) {
  return fma(a, b, c);
}
__device__ float fused(float a, float b, float c) {
  return fmaf(a, b, c);
}
__device__ __half2 fused(__half2 a, __half2 b, __half2 c) {
  return __hfma2(a, b, c);
}
__device__ __nv_bfloat162 fused(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __hfma2(a, b, c);
}

template <class T>
__device__ T number(float value) {
  return static_cast<T>(value);
}
template <>
__device__ __half2 number<__half2>(float value) {
  return __float2half2_rn(value);
}
template <>
__device__ __nv_bfloat162 number<__nv_bfloat162>(float value) {
  return __float2bfloat162_rn(value);
}

__device__ bool is_big(double value) {
  return value > 1e30;
}
__device__ bool is_big(float value) {
  return value > 1e30F;
}
__device__ bool is_big(__half2 value) {
  return __low2float(value) > 6e4F;
}
__device__ bool is_big(__nv_bfloat162 value) {
  return __low2float(value) > 1e30F;
}

template <class T>
__global__ void multiply_add(float factor, float summand, int turns, unsigned* never) {
  const T b = number<T>(factor);
  const T c = number<T>(summand);
  T chain[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    chain[i] = number<T>(summand * static_cast<float>(threadIdx.x % 32 + i));
  }
#pragma unroll 16
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) chain[i] = fused(chain[i], b, c);
  }
  bool big = false;
#pragma unroll
  for (int i = 0; i < kChains; ++i) big |= is_big(chain[i]);
  if (big) *never = 1;  // never true: the numbers approach summand / (1 - factor)
}

template <class T>
double measure_vector(Timer& timer, const cudaDeviceProp& device, int lanes, int turns) {
  const DeviceMemory never(sizeof(unsigned));
  const int blocks = device.multiProcessorCount * 8;
  const double seconds = timer.best_time(12, [&] {
    multiply_add<T>
        <<<blocks, kThreads, 0, timer.stream()>>>(0.999F, 0.001F, turns, never.at<unsigned>());
  });
  return 2.0 * lanes * kChains * turns * blocks * kThreads / seconds;
}

__device__ std::uint32_t random_bits(std::uint32_t seed) {
  seed ^= seed >> 16;
  seed *= 0x7feb352dU;
  seed ^= seed >> 15;
  seed *= 0x846ca68bU;
  return seed ^ seed >> 16;
}

__global__ void fill(void* at, std::size_t bytes, int type) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto number_at = [](std::size_t i) {  // in -1..1
    const std::uint32_t bits = random_bits(static_cast<std::uint32_t>(i * 2654435761U + (i >> 32)));
    return static_cast<float>(static_cast<std::int32_t>(bits)) / 2147483648.0F;
  };
  switch (type) {
    case TACTUS_CUDA_FP64:
      for (std::size_t i = first; i < bytes / 8; i += step)
        static_cast<double*>(at)[i] = number_at(i);
      break;
    case TACTUS_CUDA_BF16:
      for (std::size_t i = first; i < bytes / 2; i += step) {
        static_cast<__nv_bfloat16*>(at)[i] = __float2bfloat16(number_at(i));
      }
      break;
    case TACTUS_CUDA_FP16:
      for (std::size_t i = first; i < bytes / 2; i += step) {
        static_cast<__half*>(at)[i] = __float2half(number_at(i));
      }
      break;
    case TACTUS_CUDA_FP8_E4M3:
      for (std::size_t i = first; i < bytes; i += step) {
        static_cast<__nv_fp8_e4m3*>(at)[i] = __nv_fp8_e4m3(number_at(i));
      }
      break;
    case TACTUS_CUDA_INT8:
      for (std::size_t i = first; i < bytes; i += step) {
        static_cast<signed char*>(at)[i] = static_cast<signed char>(number_at(i) * 127);
      }
      break;
    default:
      for (std::size_t i = first; i < bytes / 4; i += step)
        static_cast<float*>(at)[i] = number_at(i);
  }
}

__global__ void empty() {}

}  // namespace

double measure_vector_fp64(Timer& timer, const cudaDeviceProp& device) {
  return measure_vector<double>(timer, device, 1, kTurns / 8);  // a 64th of fp32 on some GPUs
}
double measure_vector_fp32(Timer& timer, const cudaDeviceProp& device) {
  return measure_vector<float>(timer, device, 1, kTurns);
}
double measure_vector_bf16(Timer& timer, const cudaDeviceProp& device) {
  return measure_vector<__nv_bfloat162>(timer, device, 2, kTurns);
}
double measure_vector_fp16(Timer& timer, const cudaDeviceProp& device) {
  return measure_vector<__half2>(timer, device, 2, kTurns);
}

double measure_stream_launch(Timer& timer) {
  constexpr int kKernels = 1000;
  return 1e9 / kKernels * timer.best_time(10, [&] {
    for (int i = 0; i < kKernels; ++i) empty<<<1, 32, 0, timer.stream()>>>();
  });
}

double measure_graph_launch(Timer& timer) {
  constexpr int kKernels = 1000;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(timer.stream(), cudaStreamCaptureModeThreadLocal), "capturing");
  for (int i = 0; i < kKernels; ++i) empty<<<1, 32, 0, timer.stream()>>>();
  check(cudaStreamEndCapture(timer.stream(), &graph), "capturing a graph");
  check(cudaGraphInstantiate(&ready, graph, 0), "preparing a graph");
  const double seconds = timer.best_time(
      10, [&] { check(cudaGraphLaunch(ready, timer.stream()), "starting a graph"); });
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  return 1e9 / kKernels * seconds;
}

void fill_random(Timer& timer, const DeviceMemory& memory, int type) {
  timer.time([&] { fill<<<2048, 256, 0, timer.stream()>>>(memory.at(), memory.bytes(), type); });
}

}  // namespace tactus::cuda_ceilings
