#include "names/dtype_words.h"

namespace tactus::names {

std::string_view bytes_dtype(int bytes) {
  switch (bytes) {
    case 1: return "1-byte";
    case 2: return "2-byte";
    case 4: return "4-byte";
    case 8: return "8-byte";
    case 16: return "16-byte";
    default: return {};
  }
}

std::string_view short_dtype(std::string_view word) {
  static constexpr auto kShort = std::to_array<DtypeWord>({
      {"bf16", "bf16"},   {"Bfloat16", "bf16"}, {"BF16", "bf16"},  {"bfloat16", "bf16"},
      {"fp16", "fp16"},   {"f16", "fp16"},      {"h", "fp16"},     {"Fp16", "fp16"},
      {"FP16", "fp16"},   {"fp32", "fp32"},     {"f32", "fp32"},   {"Fp32", "fp32"},
      {"FP32", "fp32"},   {"s", "fp32"},        {"tf32", "tf32"},  {"f64", "fp64"},
      {"fp64", "fp64"},   {"d", "fp64"},        {"e4m3", "fp8"},   {"e5m2", "fp8"},
      {"E4m3", "fp8"},    {"E5m2", "fp8"},      {"MxE4m3", "fp8"}, {"fp8", "fp8"},
      {"fp8e4nv", "fp8"}, {"mxfp4", "fp4"},     {"MxE2m1", "fp4"}, {"E2m1", "fp4"},
      {"nvfp4", "fp4"},   {"i8", "int8"},       {"s8", "int8"},    {"int8", "int8"},
      {"i32", "int32"},   {"s32", "int32"},     {"u8", "uint8"},   {"mxfp8", "fp8"},
  });
  for (const DtypeWord& known : kShort) {
    if (known.word == word) return known.dtype;
  }
  return {};
}

}  // namespace tactus::names
