#pragma once

// The interface of libtactus_cuda_ceilings.so: plain C, so that the tool can load it if there is a
// GPU and work without it if not. nvcc builds the library (src/hardware/cuda).

#include <stddef.h>  // NOLINT(modernize-deprecated-headers): plain C

#define TACTUS_CUDA_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// Measured types of numbers, as indices.
enum TactusCudaType {
  TACTUS_CUDA_FP64,
  TACTUS_CUDA_FP32,
  TACTUS_CUDA_TF32,
  TACTUS_CUDA_BF16,
  TACTUS_CUDA_FP16,
  TACTUS_CUDA_FP8_E4M3,
  TACTUS_CUDA_INT8,
  TACTUS_CUDA_TYPES
};

struct TactusCudaDevice {
  char name[256];       ///< as the driver reports it
  char arch[16];        ///< "sm_90"
  double memory_bytes;  ///< in total
  double l2_bytes;
};

/// A rate of 0 was not measured.
struct TactusCudaCeilings {
  double read_bytes_per_s;
  double write_bytes_per_s;
  double copy_bytes_per_s;  ///< bytes read plus bytes written
  double l2_read_bytes_per_s;
  double tensor_flops[TACTUS_CUDA_TYPES];
  double vector_flops[TACTUS_CUDA_TYPES];
  double stream_launch_ns;   ///< from one empty kernel of a stream to the next
  double graph_launch_ns;    ///< the same within a graph
  char without_tensor[256];  ///< why no tensor peak was measured; empty if it was
};

/// `done` of `total` steps.
// NOLINTNEXTLINE(modernize-use-using): plain C
typedef void (*TactusCudaProgress)(void* context, unsigned done, unsigned total);

/// Both return 0, or another number and a sentence in `error`.
TACTUS_CUDA_EXPORT int tactus_cuda_device_v1(int device, struct TactusCudaDevice* out, char* error,
                                             size_t error_size);
TACTUS_CUDA_EXPORT int tactus_cuda_ceilings_v1(int device, TactusCudaProgress progress,
                                               void* context, struct TactusCudaCeilings* out,
                                               char* error, size_t error_size);

#ifdef __cplusplus
}
#endif
