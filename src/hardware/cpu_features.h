#pragma once

namespace tactus {

/// Instructions that the processor has and the operating system allows.
struct CpuFeatures {
  bool clflushopt = false;  ///< removes lines from the caches
  bool avx2_fma = false;
  bool avx512 = false;  ///< foundation and 16-bit lanes
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool amx_bf16 = false;
  bool amx_int8 = false;
};

/// Asks for permission to use tiles (AMX); Linux gives it only on request.
CpuFeatures cpu_features();

}  // namespace tactus
