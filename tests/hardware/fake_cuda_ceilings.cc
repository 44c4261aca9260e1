// Answers as libtactus_cuda_ceilings.so does on a machine with two GPUs, without one. The second
// has no cuBLASLt, the third device does not exist.
#include <cstring>

#include "hardware/cuda/ceilings.h"

namespace {

void put(char* into, const char* text) {
  std::strcpy(into, text);
}

}  // namespace

extern "C" int tactus_cuda_device_v1(int device, TactusCudaDevice* out, char* error, size_t) {
  if (device > 1) {
    put(error, "there is no such GPU");
    return 1;
  }
  *out = {};
  put(out->name, device == 0 ? "NVIDIA Fake 80GB" : "NVIDIA Bare");
  put(out->arch, "sm_90");
  out->memory_bytes = 80e9;
  out->l2_bytes = 50e6;
  return 0;
}

extern "C" int tactus_cuda_ceilings_v1(int device, TactusCudaProgress progress, void* context,
                                       TactusCudaCeilings* out, char*, size_t) {
  progress(context, 0, 2);
  *out = {};
  out->read_bytes_per_s = 3.1e12;
  out->write_bytes_per_s = 3.2e12;
  out->copy_bytes_per_s = 3.0e12;
  out->l2_read_bytes_per_s = 6e12;
  out->vector_flops[TACTUS_CUDA_FP32] = 60e12;
  out->stream_launch_ns = 2100.4;
  out->graph_launch_ns = 1200.2;
  if (device == 0) {
    out->tensor_flops[TACTUS_CUDA_BF16] = 700e12;
    out->tensor_flops[TACTUS_CUDA_FP8_E4M3] = 1400e12;
  } else {
    put(out->without_tensor, "libcublasLt.so was not found");
  }
  progress(context, 1, 2);
  return 0;
}
