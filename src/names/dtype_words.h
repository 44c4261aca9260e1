#pragma once

#include <array>
#include <string_view>

namespace tactus::names {

struct DtypeWord {
  std::string_view word;
  std::string_view dtype;
};

/// The types of C++, CUDA, HIP, PyTorch, CUTLASS, CK and TensorRT-LLM that hold numbers. In the
/// RuleIndex they have the first ids, from 1, in this order. `char` is left out: in kernel names it
/// stands for bytes of any type.
inline constexpr auto kDtypeWords = std::to_array<DtypeWord>({
    {"float", "fp32"},
    {"double", "fp64"},
    {"bool", "bool"},
    {"int", "int32"},
    {"long", "int64"},
    {"long long", "int64"},
    {"short", "int16"},
    {"signed char", "int8"},
    {"unsigned char", "uint8"},
    {"unsigned short", "uint16"},
    {"unsigned int", "uint32"},
    {"unsigned long", "uint64"},
    {"unsigned long long", "uint64"},
    {"int8_t", "int8"},
    {"uint8_t", "uint8"},
    {"uint16_t", "uint16"},
    {"int32_t", "int32"},
    {"int64_t", "int64"},
    {"BFloat16", "bf16"},
    {"__nv_bfloat16", "bf16"},
    {"nv_bfloat16", "bf16"},
    {"__hip_bfloat16", "bf16"},
    {"hip_bfloat16", "bf16"},
    {"bfloat16_t", "bf16"},
    {"bf16_t", "bf16"},
    {"__bf16", "bf16"},
    {"bfloat16", "bf16"},
    {"bhalf_t", "bf16"},
    {"__nv_bfloat162", "bf16"},
    {"Half", "fp16"},
    {"__half", "fp16"},
    {"half", "fp16"},
    {"half_t", "fp16"},
    {"half2", "fp16"},
    {"__half2", "fp16"},
    {"_Float16", "fp16"},
    {"fp16_t", "fp16"},
    {"float16", "fp16"},
    {"tfloat32_t", "tf32"},
    {"Float8_e4m3fn", "fp8"},
    {"Float8_e4m3fnuz", "fp8"},
    {"Float8_e5m2", "fp8"},
    {"Float8_e5m2fnuz", "fp8"},
    {"Float8_e8m0fnu", "fp8"},
    {"__nv_fp8_e4m3", "fp8"},
    {"__nv_fp8_e5m2", "fp8"},
    {"__hip_fp8_e4m3", "fp8"},
    {"__hip_fp8_e4m3_fnuz", "fp8"},
    {"__hip_fp8_e5m2", "fp8"},
    {"float_e4m3_t", "fp8"},
    {"float_e5m2_t", "fp8"},
    {"float_ue8m0_t", "fp8"},
    {"mx_float8_t", "fp8"},
    {"fp8_t", "fp8"},
    {"bf8_t", "fp8"},
    {"f8_t", "fp8"},
    {"f8_fnuz_t", "fp8"},
    {"_BitInt", "fp8"},
    {"f8_ocp_t", "fp8"},
    {"bf8_fnuz_t", "fp8"},
    {"bf8_ocp_t", "fp8"},
    {"float_e2m3_t", "fp6"},
    {"float_e3m2_t", "fp6"},
    {"mx_float6_t", "fp6"},
    {"__nv_fp4_e2m1", "fp4"},
    {"float_e2m1_t", "fp4"},
    {"float_e2m1_unpacksmem_t", "fp4"},
    {"f4x2_pk_t", "fp4"},
    {"fp4x2_t", "fp4"},
    {"fp4_t", "fp4"},
    {"pk_fp4_t", "fp4"},
    {"mx_float4_t", "fp4"},
    {"nv_float4_t", "fp4"},
    {"Float4_e2m1fn_x2", "fp4"},
});

/// "2-byte" and so on, for types whose size alone is known; empty for odd sizes.
std::string_view bytes_dtype(int bytes);

/// The bits of a type that holds the numbers of a model: floats and whole numbers of 8 bits; 0 for
/// others, such as indices.
int number_bits(std::string_view dtype);

/// The dtype of the inputs in "afp4wfp4" or "a4w4"; empty if it does not say more than bits: a8w8
/// may be int8 or fp8, a16 may be both 16-bit types.
std::string_view operand_dtype(std::string_view piece);

/// The short forms inside names: "bf16", "f16", "e4m3", "tf32"; empty for other words.
std::string_view short_dtype(std::string_view word);

}  // namespace tactus::names
