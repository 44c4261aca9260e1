// Quantisation to fp8, with a scale in fp32 for each row or group. Activations come in 16 bits.

#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

constexpr double kActivationBytes = 2;
constexpr double kScaleBytes = 4;
/// Largest magnitude, and scaling; clamping and rounding are part of the conversion.
constexpr double kQuantiseFlops = 2;

PublishedCost fp8_dynamic_per_token_quant_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double elements = tokens * dims.size("hidden");
  return {.flops = elements + tokens,
          .read_bytes = kActivationBytes * elements,
          .write_bytes = elements + kScaleBytes * tokens};
}

Cost fp8_dynamic_per_token_quant(Dimensions& dims) {
  const PublishedCost published = fp8_dynamic_per_token_quant_published(dims);
  const double tokens = dims.size("tokens");
  const double elements = tokens * dims.size("hidden");
  return {.work = {vector_work(NumberType::kFp32, kQuantiseFlops * elements + tokens)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

PublishedCost per_token_group_quant_fp8_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double hidden = dims.size("hidden");
  const double elements = tokens * hidden;
  const double groups = tokens * ceil_div(hidden, dims.size("group_size"));
  return {.flops = elements + groups,
          .read_bytes = kActivationBytes * elements,
          .write_bytes = elements + kScaleBytes * groups};
}

Cost per_token_group_quant_fp8(Dimensions& dims) {
  const PublishedCost published = per_token_group_quant_fp8_published(dims);
  const double tokens = dims.size("tokens");
  const double hidden = dims.size("hidden");
  const double groups = tokens * ceil_div(hidden, dims.size("group_size"));
  return {.work = {vector_work(NumberType::kFp32, kQuantiseFlops * tokens * hidden + groups)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

/// Adds the residual, normalises and quantises; the sum is an output too.
PublishedCost fused_rmsnorm_quant_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double hidden = dims.size("hidden");
  const double elements = tokens * hidden;
  return {.flops = 5 * elements + 2 * tokens,
          .read_bytes = kActivationBytes * (2 * elements + hidden),
          .write_bytes = elements + kActivationBytes * elements + kScaleBytes * tokens};
}

Cost fused_rmsnorm_quant(Dimensions& dims) {
  constexpr double kAddNormFlops = 5;
  const PublishedCost published = fused_rmsnorm_quant_published(dims);
  const double tokens = dims.size("tokens");
  const double elements = tokens * dims.size("hidden");
  return {.work = {vector_work(NumberType::kFp32,
                               (kAddNormFlops + kQuantiseFlops) * elements + 4 * tokens)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "fp8_dynamic_per_token_quant",
                 .work = "tokens hidden + tokens",
                 .read = "2 tokens hidden",
                 .write = "tokens hidden + 4 tokens",
                 .strict = "on the vector units, 2 per element"},
     .operands = Operands::kFp8,
     .catalogue = fp8_dynamic_per_token_quant_published,
     .strict = fp8_dynamic_per_token_quant},
    {.formula = {.operator_name = "per_token_group_quant_fp8",
                 .work = "tokens hidden + tokens hidden / group_size",
                 .read = "2 tokens hidden",
                 .write = "tokens hidden + 4 tokens hidden / group_size",
                 .strict = "on the vector units, 2 per element"},
     .operands = Operands::kFp8,
     .catalogue = per_token_group_quant_fp8_published,
     .strict = per_token_group_quant_fp8},
    {.formula = {.operator_name = "fused_rmsnorm_quant",
                 .work = "5 tokens hidden + 2 tokens",
                 .read = "4 tokens hidden + 2 hidden",
                 .write = "3 tokens hidden + 4 tokens",
                 .strict = "on the vector units, 7 per element"},
     .operands = Operands::kFp8,
     .catalogue = fused_rmsnorm_quant_published,
     .strict = fused_rmsnorm_quant},
};

}  // namespace

std::span<const CostEntry> quantisation_costs() {
  return kEntries;
}

}  // namespace tactus
