#pragma once

#include "operators/cuda/common.cuh"

// What kernels of generic operators share: types, packs of numbers, sizes of tensors.

namespace tactus::cuda {

__device__ inline float as_float(float value) {
  return value;
}
template <>
__device__ inline float as<float>(float value) {
  return value;
}
__device__ inline float as_float(__nv_fp8_e4m3 value) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(value.__x, __NV_E4M3)));
}
template <>
__device__ inline __nv_fp8_e4m3 as<__nv_fp8_e4m3>(float value) {
  __nv_fp8_e4m3 code;
  code.__x = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
  return code;
}

/// As many numbers as one load takes, or one.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T at[Count];
};
template <class T>
inline constexpr int kPacked = static_cast<int>(16 / sizeof(T));

/// body(T{}) for a type with arithmetic.
template <class Body>
inline int with_number(int dtype, const Body& body) {
  if (dtype == TACTUS_BF16) return body(__nv_bfloat16{});
  if (dtype == TACTUS_FP16) return body(__half{});
  if (dtype == TACTUS_FP32) return body(float{});
  return kShapeNotSupported;
}

inline std::int64_t elements_of(const tactus_tensor* tensor) {
  std::int64_t count = 1;
  for (int i = 0; i < tensor->rank; ++i) count *= tensor->shape[i];
  return count;
}

inline std::int64_t bytes_of_number(const tactus_tensor* tensor) {
  return tensor->dtype == TACTUS_FP32 ? 4 : tensor->dtype == TACTUS_FP8_E4M3 ? 1 : 2;
}

}  // namespace tactus::cuda
