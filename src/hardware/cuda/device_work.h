#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Code that the files of libtactus_cuda_ceilings.so share.
namespace tactus::cuda_ceilings {

/// A failed CUDA call, caught at the entry of the library.
struct Failure {
  const char* doing;
  cudaError_t status;
};

inline void check(cudaError_t status, const char* doing) {
  if (status != cudaSuccess) throw Failure{doing, status};
}

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes) : bytes_(bytes) {
    check(cudaMalloc(&at_, bytes), "taking device memory");
  }
  ~DeviceMemory() { cudaFree(at_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  template <class T = void>
  T* at(std::size_t byte = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(at_) + byte);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void* at_ = nullptr;
  std::size_t bytes_;
};

/// A stream and two marks in it.
class Timer {
 public:
  Timer() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    check(cudaEventCreate(&start_), "creating an event");
    check(cudaEventCreate(&end_), "creating an event");
  }
  ~Timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  cudaStream_t stream() const { return stream_; }

  /// Seconds on the device for the work that `work` puts into the stream.
  template <class Work>
  double time(const Work& work) {
    check(cudaEventRecord(start_, stream_), "timing");
    work();
    check(cudaGetLastError(), "starting a kernel");
    check(cudaEventRecord(end_, stream_), "timing");
    check(cudaEventSynchronize(end_), "running a kernel");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, end_), "timing");
    return milliseconds > 0 ? milliseconds * 1e-3 : 1e-9;
  }

  /// The shortest of `repeats`: any disturbance only makes a run longer.
  template <class Work>
  double best_time(int repeats, const Work& work) {
    double best = time(work);
    for (int i = 1; i < repeats; ++i) {
      const double next = time(work);
      if (next < best) best = next;
    }
    return best;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

struct Bandwidths {
  double read = 0;
  double write = 0;
  double copy = 0;
  double l2_read = 0;
};

/// [bytes/s] of device memory, with buffers much larger than the L2, and of the L2.
Bandwidths measure_bandwidths(Timer& timer, const cudaDeviceProp& device);

/// [FLOP/s] of fused multiply-adds beside the tensor cores.
double measure_vector_fp64(Timer& timer, const cudaDeviceProp& device);
double measure_vector_fp32(Timer& timer, const cudaDeviceProp& device);
double measure_vector_bf16(Timer& timer, const cudaDeviceProp& device);
double measure_vector_fp16(Timer& timer, const cudaDeviceProp& device);

/// [ns] from one empty kernel to the next.
double measure_stream_launch(Timer& timer);
double measure_graph_launch(Timer& timer);

/// Fills with numbers of either sign and about the same size: a matrix of zeros draws less power
/// and runs at clocks that real matrices never reach. `type` is an index of TactusCudaType.
void fill_random(Timer& timer, const DeviceMemory& memory, int type);

}  // namespace tactus::cuda_ceilings
