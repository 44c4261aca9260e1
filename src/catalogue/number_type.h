#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus {

/// How numbers are stored or computed.
enum class NumberType : std::uint8_t {
  kFp64,
  kFp32,
  kTf32,  ///< stored as fp32, multiplied with 10 bits of mantissa
  kBf16,
  kFp16,
  kFp8E4m3,
  kFp8E4m3Fnuz,  ///< as AMD's gfx942 has it: up to 240, no negative zero
  kFp8E5m2,
  kFp4E2m1,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kBool,
};
inline constexpr int kNumberTypes = static_cast<int>(NumberType::kBool) + 1;

/// As the catalogue and the hardware profiles write it: "bf16", "fp8_e4m3".
std::string_view number_type_name(NumberType type);
std::optional<NumberType> number_type_of(std::string_view name);

/// Bytes of one number in memory; half a byte for fp4.
double bytes_of(NumberType type);

bool is_integer(NumberType type);

}  // namespace tactus
