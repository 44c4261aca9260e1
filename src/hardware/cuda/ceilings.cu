#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "ceilings.h"
#include "device_work.h"
#include "matrix.h"

namespace tactus::cuda_ceilings {
namespace {

void put(char* into, std::size_t size, const std::string& text) {
  if (size == 0) return;
  const std::size_t length = text.size() < size - 1 ? text.size() : size - 1;
  std::memcpy(into, text.data(), length);
  into[length] = '\0';
}

/// Runs `work`; an error inside becomes a sentence.
template <class Work>
int guarded(char* error, std::size_t error_size, const Work& work) {
  try {
    work();
    return 0;
  } catch (const Failure& failure) {
    put(error, error_size,
        std::string(failure.doing) + " failed: " + cudaGetErrorString(failure.status));
  } catch (const std::exception& failure) {
    put(error, error_size, failure.what());
  }
  return 1;
}

cudaDeviceProp properties_of(int device) {
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "looking for a driver");
  if (driver == 0) throw std::runtime_error("there is no NVIDIA driver here");
  int count = 0;
  check(cudaGetDeviceCount(&count), "looking for a GPU");
  if (device < 0 || device >= count) {
    throw std::out_of_range("there is no GPU " + std::to_string(device) +
                            "; GPUs here: " + std::to_string(count));
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking the GPU what it is");
  return properties;
}

void measure(int device, TactusCudaProgress progress, void* context, TactusCudaCeilings& out) {
  constexpr unsigned kSteps = 13;
  unsigned done = 0;
  const auto step = [&] { progress(context, done++, kSteps); };
  step();
  const cudaDeviceProp properties = properties_of(device);
  check(cudaSetDevice(device), "choosing the GPU");
  Timer timer;
  // An idle GPU needs some time to raise its clocks.
  for (int i = 0; i < 20; ++i) measure_vector_fp32(timer, properties);

  step();
  const Bandwidths bandwidths = measure_bandwidths(timer, properties);
  out.read_bytes_per_s = bandwidths.read;
  out.write_bytes_per_s = bandwidths.write;
  out.copy_bytes_per_s = bandwidths.copy;
  out.l2_read_bytes_per_s = bandwidths.l2_read;
  step();
  out.vector_flops[TACTUS_CUDA_FP64] = measure_vector_fp64(timer, properties);
  step();
  out.vector_flops[TACTUS_CUDA_FP32] = measure_vector_fp32(timer, properties);
  step();
  out.vector_flops[TACTUS_CUDA_BF16] = measure_vector_bf16(timer, properties);
  step();
  out.vector_flops[TACTUS_CUDA_FP16] = measure_vector_fp16(timer, properties);
  step();
  out.stream_launch_ns = measure_stream_launch(timer);
  out.graph_launch_ns = measure_graph_launch(timer);

  const char* why_not = "";
  const std::unique_ptr<MatrixProducts> products(MatrixProducts::open(why_not));
  put(out.without_tensor, sizeof out.without_tensor, why_not);
  for (const int type : {TACTUS_CUDA_FP64, TACTUS_CUDA_TF32, TACTUS_CUDA_BF16, TACTUS_CUDA_FP16,
                         TACTUS_CUDA_FP8_E4M3, TACTUS_CUDA_INT8}) {
    step();
    if (products == nullptr) continue;
    try {
      out.tensor_flops[type] = products->measure(timer, type);
    } catch (const Failure& failure) {
      if (failure.status != cudaErrorMemoryAllocation) throw;
      cudaGetLastError();  // a GPU with little memory still has the other figures
    }
  }
  step();
}

}  // namespace
}  // namespace tactus::cuda_ceilings

extern "C" int tactus_cuda_device_v1(int device, TactusCudaDevice* out, char* error,
                                     size_t error_size) {
  using namespace tactus::cuda_ceilings;
  return guarded(error, error_size, [&] {
    const cudaDeviceProp properties = properties_of(device);
    *out = {};
    put(out->name, sizeof out->name, properties.name);
    put(out->arch, sizeof out->arch,
        "sm_" + std::to_string(properties.major * 10 + properties.minor));
    out->memory_bytes = static_cast<double>(properties.totalGlobalMem);
    out->l2_bytes = properties.l2CacheSize;
  });
}

extern "C" int tactus_cuda_ceilings_v1(int device, TactusCudaProgress progress, void* context,
                                       TactusCudaCeilings* out, char* error, size_t error_size) {
  using namespace tactus::cuda_ceilings;
  return guarded(error, error_size, [&] {
    *out = {};
    measure(device, progress, context, *out);
  });
}
