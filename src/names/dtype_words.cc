#include "names/dtype_words.h"

#include <algorithm>

namespace tactus::names {
namespace {

/// Ordered by their sizes, so that few are compared with a word.
constexpr auto kShort = [] {
  auto words = std::to_array<DtypeWord>({
      {"bf16", "bf16"},  {"Bfloat16", "bf16"}, {"bfloat16", "bf16"}, {"BF16", "bf16"},
      {"Bf16", "bf16"},  {"fp16", "fp16"},     {"f16", "fp16"},      {"h", "fp16"},
      {"Fp16", "fp16"},  {"FP16", "fp16"},     {"half", "fp16"},     {"fp32", "fp32"},
      {"f32", "fp32"},   {"Fp32", "fp32"},     {"FP32", "fp32"},     {"float", "fp32"},
      {"s", "fp32"},     {"tf32", "tf32"},     {"f64", "fp64"},      {"fp64", "fp64"},
      {"d", "fp64"},     {"e4m3", "fp8"},      {"e5m2", "fp8"},      {"E4m3", "fp8"},
      {"E5m2", "fp8"},   {"MxE4m3", "fp8"},    {"MxE5m2", "fp8"},    {"fp8", "fp8"},
      {"f8", "fp8"},     {"Fp8", "fp8"},       {"fp8e4nv", "fp8"},   {"f8e4m3", "fp8"},
      {"f8e5m2", "fp8"}, {"mxfp8", "fp8"},     {"e2m3", "fp6"},      {"e3m2", "fp6"},
      {"f6", "fp6"},     {"Fp6", "fp6"},       {"e2m1", "fp4"},      {"f4", "fp4"},
      {"fp4", "fp4"},    {"Fp4", "fp4"},       {"mxfp4", "fp4"},     {"MXfp4", "fp4"},
      {"MxE2m1", "fp4"}, {"E2m1", "fp4"},      {"nvfp4", "fp4"},     {"i8", "int8"},
      {"s8", "int8"},    {"int8", "int8"},     {"Int8", "int8"},     {"I8", "int8"},
      {"i32", "int32"},  {"s32", "int32"},     {"u8", "uint8"},
  });
  std::sort(words.begin(), words.end(),
            [](const DtypeWord& a, const DtypeWord& b) { return a.word.size() < b.word.size(); });
  return words;
}();

constexpr std::size_t kLongest = kShort.back().word.size();

/// Where the words of each size begin.
constexpr auto kSizes = [] {
  std::array<std::size_t, kLongest + 2> begins{};
  for (const DtypeWord& known : kShort) ++begins[known.word.size() + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  return begins;
}();

}  // namespace

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

int number_bits(std::string_view dtype) {
  if (dtype == "bf16") return 16;
  if (dtype == "tf32") return 32;
  if (dtype == "int8" || dtype == "uint8") return 8;
  if (!dtype.starts_with("fp")) return 0;
  int bits = 0;
  for (const char digit : dtype.substr(2)) bits = bits * 10 + (digit - '0');
  return bits;
}

std::string_view operand_dtype(std::string_view piece) {
  if (piece == "afp4wfp4" || piece == "a4w4" || piece == "afp4") return "fp4";
  if (piece == "afp8wfp8" || piece == "afp8wfp4" || piece == "afp8") return "fp8";
  return {};
}

std::string_view short_dtype(std::string_view word) {
  if (word.size() > kLongest) return {};
  for (std::size_t i = kSizes[word.size()]; i < kSizes[word.size() + 1]; ++i) {
    if (kShort[i].word.front() == word.front() && kShort[i].word == word) return kShort[i].dtype;
  }
  return {};
}

}  // namespace tactus::names
