#include "operators/number_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "operators/random.h"

namespace tactus {
namespace {

constexpr NumberType kE4m3 = NumberType::kFp8E4m3;
constexpr NumberType kFnuz = NumberType::kFp8E4m3Fnuz;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Layout {
  NumberType type;
  int bits;
  int mantissa_bits;
  int bias;
};

constexpr Layout kLayouts[] = {{kE4m3, 8, 3, 7},
                               {kFnuz, 8, 3, 8},
                               {NumberType::kFp8E5m2, 8, 2, 15},
                               {NumberType::kFp16, 16, 10, 15},
                               {NumberType::kBf16, 16, 7, 127}};

/// The positive codes, from zero to the largest number, are all codes in a row.
std::uint64_t largest_code(const Layout& layout) {
  return to_bits(layout.type, largest(layout.type));
}

TEST(NumberFormats, every_code_comes_back_as_it_was) {
  for (const Layout& layout : kLayouts) {
    const std::uint64_t codes = 1ull << layout.bits;
    std::uint64_t nans = 0;
    for (std::uint64_t code = 0; code < codes; ++code) {
      const double value = from_bits(layout.type, code);
      if (std::isnan(value)) {
        ++nans;
        EXPECT_TRUE(std::isnan(rounded(layout.type, value)));
      } else {
        EXPECT_EQ(to_bits(layout.type, value), code) << number_type_name(layout.type);
      }
    }
    const std::uint64_t expected = layout.type == kFnuz ? 1
                                   : layout.type == kE4m3
                                       ? 2
                                       : 2 * ((1ull << layout.mantissa_bits) - 1);
    EXPECT_EQ(nans, expected) << number_type_name(layout.type);
  }
}

TEST(NumberFormats, codes_are_worth_mantissa_times_power) {
  for (const Layout& layout : kLayouts) {
    for (std::uint64_t code = 0; code <= largest_code(layout); ++code) {
      const auto exponent = static_cast<int>(code >> layout.mantissa_bits);
      const auto fraction = static_cast<double>(code & ((1ull << layout.mantissa_bits) - 1)) /
                            static_cast<double>(1ull << layout.mantissa_bits);
      const double value = exponent == 0 ? fraction * std::pow(2.0, 1 - layout.bias)
                                         : (1 + fraction) * std::pow(2.0, exponent - layout.bias);
      EXPECT_EQ(from_bits(layout.type, code), value);
      const std::uint64_t negative = code | 1ull << (layout.bits - 1);
      if (code != 0) {
        EXPECT_EQ(from_bits(layout.type, negative), -value);
      }
    }
  }
}

TEST(NumberFormats, rounds_to_the_nearest_and_ties_to_the_even_code) {
  for (const Layout& layout : kLayouts) {
    for (std::uint64_t code = 0; code < largest_code(layout); ++code) {
      const double low = from_bits(layout.type, code);
      const double high = from_bits(layout.type, code + 1);
      const double middle = (low + high) / 2;
      EXPECT_EQ(to_bits(layout.type, middle), code + code % 2);
      EXPECT_EQ(to_bits(layout.type, std::nextafter(middle, 0)), code);
      EXPECT_EQ(to_bits(layout.type, std::nextafter(middle, kInfinity)), code + 1);
      EXPECT_EQ(spacing(layout.type, low), high - low);
      EXPECT_EQ(spacing(layout.type, -low), high - low);
    }
  }
}

TEST(NumberFormats, fp8_of_the_usual_kind_ends_at_448) {
  EXPECT_EQ(largest(kE4m3), 448);
  EXPECT_EQ(to_bits(kE4m3, 448), 0x7eU);
  EXPECT_EQ(rounded(kE4m3, 464), 448) << "a tie, to even";
  EXPECT_EQ(to_bits(kE4m3, 464.001) & 0x7f, 0x7fU) << "not a number: nothing saturates";
  EXPECT_TRUE(std::isnan(rounded(kE4m3, -1000)));
  EXPECT_TRUE(std::isnan(rounded(kE4m3, kInfinity)));
  EXPECT_TRUE(std::isnan(from_bits(kE4m3, 0x7f)));
  EXPECT_TRUE(std::isnan(from_bits(kE4m3, 0xff)));
  EXPECT_EQ(to_bits(kE4m3, -0.0), 0x80U);
  EXPECT_EQ(to_bits(kE4m3, -1e-9), 0x80U);
}

TEST(NumberFormats, fp8_of_amd_ends_at_240_and_has_one_zero_and_one_nan) {
  EXPECT_EQ(largest(kFnuz), 240);
  EXPECT_EQ(to_bits(kFnuz, 240), 0x7fU);
  EXPECT_EQ(rounded(kFnuz, 232), 224) << "a tie, to even";
  EXPECT_EQ(rounded(kFnuz, 247.999), 240);
  EXPECT_EQ(to_bits(kFnuz, 248), 0x80U);
  EXPECT_EQ(to_bits(kFnuz, -248), 0x80U);
  EXPECT_EQ(to_bits(kFnuz, 1e30), 0x80U);
  EXPECT_EQ(to_bits(kFnuz, kNan), 0x80U);
  EXPECT_EQ(to_bits(kFnuz, -kInfinity), 0x80U);
  EXPECT_TRUE(std::isnan(from_bits(kFnuz, 0x80)));
  EXPECT_EQ(to_bits(kFnuz, -0.0), 0U);
  EXPECT_EQ(to_bits(kFnuz, -0x1p-12), 0U);
  EXPECT_EQ(from_bits(kFnuz, 0x08), 0x1p-7) << "the smallest normal number";
  EXPECT_EQ(from_bits(kFnuz, 0x01), 0x1p-10);
}

TEST(NumberFormats, fp8_of_amd_is_half_of_the_usual_kind) {
  for (std::uint64_t code = 0; code < 0x7f; ++code) {
    EXPECT_EQ(from_bits(kFnuz, code), from_bits(kE4m3, code) / 2);
  }
  // So NVIDIA's conversion of twice the number makes it, up to 232 and but for negative zero.
  Random random(7);
  for (int i = 0; i < 100000; ++i) {
    const double value = (random.uniform() < 0.5 ? -1 : 1) * std::exp2(20 * random.uniform() - 12);
    if (std::fabs(value) > 232) continue;
    const std::uint64_t code = to_bits(kE4m3, 2 * value);
    EXPECT_EQ(to_bits(kFnuz, value), code == 0x80 ? 0 : code) << value;
  }
}

TEST(NumberFormats, what_is_too_large_for_formats_with_infinity_becomes_infinite) {
  EXPECT_EQ(largest(NumberType::kFp16), 65504);
  EXPECT_EQ(rounded(NumberType::kFp16, 65519.9), 65504);
  EXPECT_EQ(rounded(NumberType::kFp16, 65520), kInfinity);
  EXPECT_EQ(rounded(NumberType::kFp16, -65520), -kInfinity);
  EXPECT_EQ(rounded(NumberType::kBf16, 3.4e38), kInfinity);
  EXPECT_EQ(rounded(NumberType::kBf16, -kInfinity), -kInfinity);
  EXPECT_EQ(largest(NumberType::kFp8E5m2), 57344);
  EXPECT_EQ(rounded(NumberType::kFp8E5m2, 61440), kInfinity);
  EXPECT_TRUE(std::isnan(rounded(NumberType::kBf16, kNan)));
}

TEST(NumberFormats, rounds_once_where_going_through_fp32_would_round_twice) {
  // Just above a tie of bf16, by less than fp32 can tell.
  const double above = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(rounded(NumberType::kBf16, above), 1 + 0x1p-7);
  EXPECT_EQ(rounded(NumberType::kBf16, static_cast<float>(above)), 1);
}

TEST(NumberFormats, the_short_way_from_float_to_bf16_agrees) {
  Random random(3);
  for (int i = 0; i < 200000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.next());
    const auto value = __builtin_bit_cast(float, bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(value))));
    } else {
      EXPECT_EQ(float_to_bf16(value), to_bits(NumberType::kBf16, value)) << value;
    }
  }
}

TEST(NumberFormats, integers_keep_their_value) {
  EXPECT_EQ(from_bits(NumberType::kInt32, to_bits(NumberType::kInt32, -1) & 0xffffffff), -1);
  EXPECT_EQ(from_bits(NumberType::kInt64, to_bits(NumberType::kInt64, -123456789012)),
            -123456789012.0);
  EXPECT_EQ(spacing(NumberType::kInt32, 1e6), 1);
  EXPECT_EQ(largest(NumberType::kInt32), 2147483647);
}

}  // namespace
}  // namespace tactus
