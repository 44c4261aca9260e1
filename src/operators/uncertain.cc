#include "operators/uncertain.h"

#include <algorithm>
#include <cmath>

#include "operators/number_formats.h"
#include "operators/slack.h"

namespace tactus {

Uncertain in_fp32(double exact) {
  const bool certain = static_cast<double>(static_cast<float>(exact)) == exact;
  return {exact, certain ? 0 : fp32_slack(exact, 1)};
}

Uncertain stored(NumberType type, const Uncertain& number) {
  const double value = rounded(type, number.value);
  if (number.slack == 0) return {value, 0};
  const double low = rounded(type, number.value - number.slack);
  const double high = rounded(type, number.value + number.slack);
  return {value, std::max(high - value, value - low)};
}

Uncertain silu(const Uncertain& x) {
  const double sigmoid = 1 / (1 + std::exp(-x.value));
  const double value = x.value * sigmoid;
  // exp(-x) as a power of two: the rounding of x times a constant counts x times. It matters to the
  // sigmoid only as far as the sigmoid is not 1. Sum, quotient (2 units on a GPU) and product
  // follow.
  const double roundings = (2 * std::fabs(x.value) + 4) * (1 - sigmoid) + 8;
  constexpr double kSteepest = 1.1;  // of the slope of silu
  return {value, fp32_slack(value, roundings) + kSteepest * x.slack};
}

}  // namespace tactus
