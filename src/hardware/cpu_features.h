#pragma once

namespace tactus {

/// Instructions that the processor has and the operating system lets a program use.
struct CpuFeatures {
  bool clflushopt = false;  ///< takes lines out of the caches
  bool avx2_fma = false;
  bool avx512 = false;  ///< foundation and 16-bit lanes
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool amx_bf16 = false;
  bool amx_int8 = false;
};

/// Asks for the right to use tiles (AMX), which Linux gives only to those who ask.
CpuFeatures cpu_features();

}  // namespace tactus
