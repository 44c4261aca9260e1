#include "operators/definitions/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "operators/number_formats.h"

namespace tactus {
namespace {

constexpr std::int64_t kLanes = 4;  // independent running sums, so that the compiler can use SIMD

std::array<double, 256> table_of(NumberType type) {
  std::array<double, 256> table = {};
  for (std::size_t bits = 0; bits < table.size(); ++bits) table[bits] = from_bits(type, bits);
  return table;
}

/// fp8 tensor cores align products and running sum to the largest of them and cut off everything
/// more than 13 bits below it: the sum of the squares of these losses. Products of fp8 numbers have
/// 8 bits, so only small ones lose bits.
double cut_off(std::span<const double> a, std::span<const double> b, const ProductSum& sum) {
  // The running sum goes further than its deviation, and ends at the value. Counted like this,
  // products of one block on an H200 had errors of up to 2.7 deviations, of 16 blocks up to 1.7.
  const double largest = std::sqrt(3 * sum.squares + sum.value * sum.value);
  if (largest == 0) return 0;
  const double unit = std::ldexp(1, std::ilogb(largest) - 13);
  const double shift = unit * 0x1.8p52;  // adding and subtracting it rounds to whole units
  std::array<double, kLanes> squares = {};
  const auto lost = [&](std::size_t i) {
    const double term = std::fabs(a[i] * b[i]);
    const double left = term - ((term + shift) - shift);
    const double cut = left < 0 ? left + unit : left;
    return cut * cut;
  };
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) squares[lane] += lost(i + lane);
  }
  for (; i < a.size(); ++i) squares[0] += lost(i);
  // The sum so far is whole units, except where the unit grows.
  return squares[0] + squares[1] + squares[2] + squares[3] + unit * unit / 3;
}

}  // namespace

void read_row(const HostTensor& tensor, std::int64_t first, std::span<double> into) {
  const auto count = static_cast<std::int64_t>(into.size());
  switch (tensor.spec->dtype) {
    case NumberType::kBf16: {
      const std::uint16_t* from = tensor.as<std::uint16_t>() + first;
      for (std::int64_t i = 0; i < count; ++i) {
        into[static_cast<std::size_t>(i)] = static_cast<double>(bf16_to_float(from[i]));
      }
      return;
    }
    case NumberType::kFp8E4m3:
    case NumberType::kFp8E4m3Fnuz: {
      static const std::array<double, 256> kE4m3 = table_of(NumberType::kFp8E4m3);
      static const std::array<double, 256> kFnuz = table_of(NumberType::kFp8E4m3Fnuz);
      const auto& table = tensor.spec->dtype == NumberType::kFp8E4m3 ? kE4m3 : kFnuz;
      const std::uint8_t* from = tensor.as<std::uint8_t>() + first;
      for (std::int64_t i = 0; i < count; ++i) into[static_cast<std::size_t>(i)] = table[from[i]];
      return;
    }
    default:
      for (std::int64_t i = 0; i < count; ++i) {
        into[static_cast<std::size_t>(i)] = tensor.get(first + i);
      }
  }
}

std::vector<double> row_of(const HostTensor& tensor, std::int64_t first, std::int64_t count) {
  std::vector<double> row(static_cast<std::size_t>(count));
  read_row(tensor, first, row);
  return row;
}

ProductSum dot(std::span<const double> a, std::span<const double> b) {
  std::array<ProductSum, kLanes> lanes;
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double term = a[i + lane] * b[i + lane];
      lanes[lane].value += term;
      lanes[lane].magnitude += std::fabs(term);
      lanes[lane].squares += term * term;
    }
  }
  for (; i < a.size(); ++i) {
    const double term = a[i] * b[i];
    lanes[0].value += term;
    lanes[0].magnitude += std::fabs(term);
    lanes[0].squares += term * term;
  }
  ProductSum sum;
  for (const ProductSum& lane : lanes) {
    sum.value += lane.value;
    sum.magnitude += lane.magnitude;
    sum.squares += lane.squares;
  }
  return sum;
}

ScaledSum scaled_dot(const ScaledRow& a, const ScaledRow& b, std::int64_t block) {
  ScaledSum sum;
  const auto width = static_cast<std::size_t>(block);
  for (std::size_t first = 0, g = 0; first < a.numbers.size(); first += width, ++g) {
    const std::size_t count = std::min(width, a.numbers.size() - first);
    const ProductSum inner = dot(a.numbers.subspan(first, count), b.numbers.subspan(first, count));
    const double scale = a.scales[g] * b.scales[g];
    sum.value += inner.value * scale;
    sum.magnitude += inner.magnitude * std::fabs(scale);
    sum.variance +=
        cut_off(a.numbers.subspan(first, count), b.numbers.subspan(first, count), inner) * scale *
        scale;
  }
  return sum;
}

double rounding_deviation(NumberType type) {
  // sqrt of the mean of 1/m^2 over mantissas m from 1 to 2, spread evenly in log m, over sqrt(3).
  constexpr double kOctave = 0.7355 / 1.7321;
  return (type == NumberType::kFp16 ? 0x1p-11 : 0x1p-8) * kOctave;
}

std::int64_t shared_head(std::int64_t head, std::int64_t heads, std::int64_t shared_heads) {
  const std::int64_t group = std::max<std::int64_t>(heads / shared_heads, 1);
  return std::min(head / group, shared_heads - 1);
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

NumberType half_type(const ShapeParameters& shape) {
  return shape.dtype == NumberType::kFp16 ? NumberType::kFp16 : NumberType::kBf16;
}

void draw_softmax_rows(const HostTensor& tensor, std::int64_t width, Random& random) {
  std::vector<double> row(static_cast<std::size_t>(width));
  for (std::int64_t first = 0; first + width <= tensor.elements(); first += width) {
    for (double& weight : row) weight = std::exp(random.normal());
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (std::int64_t i = 0; i < width; ++i) {
      tensor.set(first + i, row[static_cast<std::size_t>(i)] / sum);
    }
  }
}

std::vector<std::int64_t> draw_distinct(std::int64_t count, std::int64_t limit, Random& random) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(limit));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int64_t> drawn;
  drawn.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = i % limit;
    std::swap(all[static_cast<std::size_t>(at)],
              all[static_cast<std::size_t>(at + random.below(limit - at))]);
    drawn.push_back(all[static_cast<std::size_t>(at)]);
  }
  return drawn;
}

std::string only_bf16_numbers(const HostTensor& tensor, std::int64_t first, std::int64_t count) {
  // One fp32 number in 65536 is a bf16 number by chance, so 16 in a row are not.
  if (count < 16) return {};
  const std::uint32_t* numbers = tensor.as<std::uint32_t>() + first;
  std::uint32_t low_bits = 0;
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    low_bits |= numbers[i] & 0xffffu;
    any |= numbers[i];
  }
  if (low_bits != 0 || any == 0) return {};
  return fmt::format("{} is fp32, but all {} numbers from {} on are rounded to bf16",
                     tensor.spec->name, count, first);
}

}  // namespace tactus
