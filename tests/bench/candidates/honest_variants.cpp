// Right kernels that compute in another order than the reference; the published benchmark fails
// the two that quantise.
#include <algorithm>

#include "candidate.h"

using candidate::elements;
using candidate::input;
using candidate::narrowed;
using candidate::output;
using candidate::widened;

/// e4m3fnuz (bias 8, up to 240) of a number within its range: nearest, ties to even.
static std::uint8_t fnuz(float value) {
  const float magnitude = std::fabs(value);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int lowest = std::max(exponent - 1, -7);  // of the number; subnormals share the least
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 3 - lowest)));
  if (steps == 0) return 0;
  const int code = steps < 8 ? steps : ((lowest + 8) << 3) + steps - 8;
  return static_cast<std::uint8_t>(std::min(code, 0x7f) | (value < 0 ? 0x80 : 0));
}

/// By quotients, where the reference multiplies with a reciprocal.
static int fp8_dynamic_per_token_quant(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t hidden = x->shape[1];
  const auto most = static_cast<float>(tactus_value(call, "fp8_max", 240));
  for (std::int64_t row = 0; row < x->shape[0]; ++row) {
    const auto* in = static_cast<const std::uint16_t*>(x->data) + row * hidden;
    auto largest = static_cast<float>(tactus_value(call, "least_amax", 1e-12));
    for (std::int64_t i = 0; i < hidden; ++i) {
      largest = std::max(largest, std::fabs(widened(in[i])));
    }
    const float scale = largest / most;
    output<float>(call, "scale")[row] = scale;
    for (std::int64_t i = 0; i < hidden; ++i) {
      output<std::uint8_t>(call, "q")[row * hidden + i] =
          fnuz(std::clamp(widened(in[i]) / scale, -most, most));
    }
  }
  return 0;
}

/// Squares added from the end, in eight sums.
static int fused_rmsnorm_quant(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const std::int64_t hidden = x->shape[1];
  const auto most = static_cast<float>(tactus_value(call, "fp8_max", 240));
  const auto* weight = input<const std::uint16_t>(call, "weight");
  for (std::int64_t row = 0; row < x->shape[0]; ++row) {
    const auto* in = static_cast<const std::uint16_t*>(x->data) + row * hidden;
    const auto* residual = input<const std::uint16_t>(call, "residual") + row * hidden;
    std::uint16_t* sum = output<std::uint16_t>(call, "residual_out") + row * hidden;
    float squares[8] = {};
    for (std::int64_t i = hidden; i-- > 0;) {
      sum[i] = narrowed(widened(in[i]) + widened(residual[i]));
      squares[i % 8] += widened(sum[i]) * widened(sum[i]);
    }
    float all = 0;
    for (const float part : squares) all += part;
    const float factor = 1 / std::sqrt(all / static_cast<float>(hidden) +
                                       static_cast<float>(tactus_value(call, "eps", 1e-5)));
    const auto normed = [&](std::int64_t i) {
      return widened(narrowed(widened(sum[i]) * factor * widened(weight[i])));
    };
    float largest = 0;
    for (std::int64_t i = 0; i < hidden; ++i) largest = std::max(largest, std::fabs(normed(i)));
    const float scale = largest == 0 ? 1 : largest / most;
    output<float>(call, "scale")[row] = scale;
    for (std::int64_t i = 0; i < hidden; ++i) {
      output<std::uint8_t>(call, "quantized")[row * hidden + i] =
          fnuz(std::clamp(normed(i) / scale, -most, most));
    }
  }
  return 0;
}

/// Products added from the end, in fp32.
static int linear_sigmoid_mul(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "hidden");
  const tactus_tensor* weight = tactus_input(call, "weight");
  const std::int64_t hidden = x->shape[1];
  const std::int64_t columns = weight->shape[0];
  for (std::int64_t i = 0; i < x->shape[0] * columns; ++i) {
    const auto* row = static_cast<const std::uint16_t*>(x->data) + i / columns * hidden;
    const auto* column = static_cast<const std::uint16_t*>(weight->data) + i % columns * hidden;
    float sum = 0;
    for (std::int64_t k = hidden; k-- > 0;) sum += widened(row[k]) * widened(column[k]);
    const float gate =
        widened(narrowed(sum + widened(input<const std::uint16_t>(call, "bias")[i % columns])));
    const float post = widened(input<const std::uint16_t>(call, "post")[i]);
    output<std::uint16_t>(call, "out")[i] = narrowed(post / (1 + std::exp(-gate)));
  }
  return 0;
}

static const tactus_entry entries[] = {
    {"fp8_dynamic_per_token_quant", TACTUS_CPU, fp8_dynamic_per_token_quant, nullptr},
    {"fused_rmsnorm_quant", TACTUS_CPU, fused_rmsnorm_quant, nullptr},
    {"linear_sigmoid_mul", TACTUS_CPU, linear_sigmoid_mul, nullptr}};
static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "honest",
                                          entries, 3};

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  return &library;
}
