// Mixtures of experts. The number of used experts, and of different (token, expert) pairs, depends
// on the draw: a recorded draw counts, else the average of uniform routing.
#include <algorithm>
#include <cmath>

#include "bounds/costs/cost_entry.h"
#include "bounds/costs/expected_draw.h"

namespace tactus {
namespace {

constexpr double kFp32Bytes = 4;
constexpr double kInt32Bytes = 4;
constexpr double kScaleBlock = 128;  ///< one scale per 128 x 128 fp8 weights
/// For each element between the two layers: exp, add, divide, times up, times the token's weight.
constexpr double kGateFlops = 5;

struct MoeShape {
  double tokens, hidden, intermediate, experts, top_k;

  explicit MoeShape(Dimensions& dims)
      : tokens(dims.size("tokens")),
        hidden(dims.size("hidden")),
        intermediate(dims.size("intermediate")),
        experts(dims.size("experts")),
        top_k(dims.size("top_k")) {}

  /// As published: different experts for each token, rounded up.
  double published_experts() const {
    return std::min(
        {experts, tokens * top_k, std::ceil(expected_experts_distinct(experts, tokens, top_k))});
  }
  double routing_bytes() const { return (kInt32Bytes + kFp32Bytes) * tokens * top_k; }
};

PublishedCost fused_moe_published(Dimensions& dims) {
  const MoeShape s(dims);
  const double e = dims.element_bytes();
  const double slots = s.tokens * s.top_k;
  const double pairs =
      dims.drawn("distinct_pairs").value_or(expected_pairs_repeated(s.experts, s.tokens, s.top_k));
  const double hit =
      dims.drawn("experts_hit").value_or(expected_experts_repeated(s.experts, slots));
  const double pair_flops = 6 * s.hidden * s.intermediate + 5 * s.intermediate + s.hidden;
  return {.flops = pairs * pair_flops + hit * (2 * slots - s.tokens),
          .read_bytes = e * s.tokens * s.hidden +
                        3 * e * s.published_experts() * s.intermediate * s.hidden +
                        s.routing_bytes(),
          .write_bytes = kFp32Bytes * s.tokens * s.hidden};
}

Cost fused_moe(Dimensions& dims) {
  const MoeShape s(dims);
  const double e = dims.element_bytes();
  const double slots = s.tokens * s.top_k;
  const double pairs =
      dims.drawn("distinct_pairs").value_or(expected_pairs_repeated(s.experts, s.tokens, s.top_k));
  const double hit =
      dims.drawn("experts_hit").value_or(expected_experts_repeated(s.experts, slots));
  return {.work = {matrix_work(dims.dtype(), 6 * s.hidden * s.intermediate * pairs),
                   vector_work(dims.dtype(), kGateFlops * s.intermediate * pairs)},
          .read_bytes =
              e * s.tokens * s.hidden + 3 * e * hit * s.intermediate * s.hidden + s.routing_bytes(),
          .write_bytes = kFp32Bytes * s.tokens * s.hidden};
}

/// Bytes of one expert's weights in fp8 and of their scales.
double fp8_expert_bytes(const MoeShape& s) {
  const double rows = ceil_div(s.hidden, kScaleBlock);
  const double scales = ceil_div(2 * s.intermediate, kScaleBlock) * rows +
                        rows * ceil_div(s.intermediate, kScaleBlock);
  return 3 * s.hidden * s.intermediate + kFp32Bytes * scales;
}

/// Everything except the weights: activations and their scales, and the routing.
double fp8_token_bytes(const MoeShape& s) {
  return s.tokens * s.hidden + kFp32Bytes * s.tokens * ceil_div(s.hidden, kScaleBlock) +
         s.routing_bytes();
}

PublishedCost fp8_blockscale_fused_moe_published(Dimensions& dims) {
  const MoeShape s(dims);
  const double experts = s.published_experts();
  const double pair_flops = 6 * s.hidden * s.intermediate + 5 * s.intermediate + 2 * s.hidden;
  return {.flops = s.tokens * s.top_k * pair_flops + 3 * experts * s.hidden * s.intermediate,
          .read_bytes = fp8_token_bytes(s) + experts * fp8_expert_bytes(s),
          .write_bytes = s.tokens * s.hidden};
}

Cost fp8_blockscale_fused_moe(Dimensions& dims) {
  const MoeShape s(dims);
  const double hit =
      dims.drawn("experts_hit").value_or(expected_experts_distinct(s.experts, s.tokens, s.top_k));
  const double pairs = s.tokens * s.top_k;
  const double products = s.hidden * s.intermediate * pairs;
  // The second product takes silu(gate) * up, which may be rounded to bf16, but not to fp8.
  constexpr double kInnerBits = 8;
  return {.work = {matrix_work(NumberType::kFp8E4m3, 4 * products),
                   matrix_work(NumberType::kFp8E4m3, 2 * products, kInnerBits),
                   vector_work(NumberType::kFp32, kGateFlops * s.intermediate * pairs)},
          .read_bytes = fp8_token_bytes(s) + hit * fp8_expert_bytes(s),
          .write_bytes = s.tokens * s.hidden};
}

/// Slots sorted by expert and padded to blocks, the expert of each block, and the padded length.
PublishedCost moe_align_block_size_published(Dimensions& dims) {
  const double slots = dims.size("tokens") * dims.size("top_k");
  const double experts = dims.size("experts");
  const double block_size = dims.size("block_size");
  if (dims.empty()) return {};
  const double blocks = dims.drawn("blocks").value_or(expected_blocks(experts, slots, block_size));
  return {.read_bytes = kInt32Bytes * slots,
          .write_bytes = kInt32Bytes * (blocks * (block_size + 1) + 1)};
}

PublishedCost moe_count_and_sort_published(Dimensions& dims) {
  const double slots = dims.size("tokens") * dims.size("top_k");
  const double experts = dims.size("experts");
  return {.read_bytes = kInt32Bytes * slots,
          .write_bytes = kInt32Bytes * (slots + experts + (experts + 1))};
}

/// For operators that only move indices, the published cost holds.
template <PublishedCost (*published)(Dimensions&)>
Cost as_published(Dimensions& dims) {
  const PublishedCost cost = published(dims);
  return {.read_bytes = cost.read_bytes, .write_bytes = cost.write_bytes};
}

PublishedCost moe_sum_reduce_published(Dimensions& dims) {
  const double results = dims.size("tokens") * dims.size("hidden");
  const double top_k = dims.size("top_k");
  const double e = dims.element_bytes();
  return {.flops = results * top_k, .read_bytes = e * results * top_k, .write_bytes = e * results};
}

Cost moe_sum_reduce(Dimensions& dims) {
  const PublishedCost published = moe_sum_reduce_published(dims);
  const double results = dims.size("tokens") * dims.size("hidden");
  return {.work = {vector_work(dims.dtype(), results * (dims.size("top_k") - 1))},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

PublishedCost moe_topk_gating_softmax_published(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double experts = dims.size("experts");
  return {.flops = 4 * tokens * experts - tokens,
          .read_bytes = dims.element_bytes() * tokens * experts,
          .write_bytes = (kFp32Bytes + kInt32Bytes) * tokens * dims.size("top_k")};
}

Cost moe_topk_gating_softmax(Dimensions& dims) {
  const PublishedCost published = moe_topk_gating_softmax_published(dims);
  const double tokens = dims.size("tokens");
  // Maximum, subtraction, exp and sum; only the kept values must be divided.
  const double flops = 4 * tokens * dims.size("experts") - 2 * tokens + tokens * dims.size("top_k");
  return {.work = {vector_work(dims.dtype(), flops)},
          .read_bytes = published.read_bytes,
          .write_bytes = published.write_bytes};
}

/// The products of experts, as far as they are certain without the draw: each token goes to top_k
/// experts that differ, so top_k of them are read at least.
Cost expert_products(Dimensions& dims) {
  const double tokens = dims.size("tokens");
  const double top_k = dims.size("top_k");
  const double activations = tokens * dims.size("token_bytes");
  return {.work = {matrix_work(dims.dtype(), 2 * tokens * top_k * dims.size("expert_elements"))},
          .read_bytes = activations + top_k * dims.amount("expert_bytes"),
          .write_bytes = activations};
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "fused_moe",
                 .work = "pairs (6 hidden intermediate + 5 intermediate + hidden) + "
                         "experts_hit (2 tokens top_k - tokens), both of the recorded draw",
                 .read = "e tokens hidden + 3 e active intermediate hidden + 8 tokens top_k, "
                         "active = min(experts, tokens top_k, "
                         "ceil(experts (1 - (1 - top_k / experts)^tokens)))",
                 .write = "4 tokens hidden",
                 .strict = "weights of the experts that were hit; activation on the vector units, "
                           "5 per element between the layers; no additions charged"},
     .catalogue = fused_moe_published,
     .strict = fused_moe},
    {.formula = {.operator_name = "fp8_blockscale_fused_moe",
                 .work = "tokens top_k (6 hidden intermediate + 5 intermediate + 2 hidden) + "
                         "3 active hidden intermediate",
                 .read = "tokens hidden + 4 tokens hidden / 128 + 8 tokens top_k + "
                         "active (3 hidden intermediate + 12 (intermediate / 128) (hidden / 128)), "
                         "active as in fused_moe",
                 .write = "tokens hidden",
                 .strict = "experts not rounded up; no dequantising of weights; the second product "
                           "in bf16; activation on the vector units"},
     .operands = Operands::kFp8,
     .catalogue = fp8_blockscale_fused_moe_published,
     .strict = fp8_blockscale_fused_moe},
    {.formula = {.operator_name = "moe_align_block_size",
                 .work = "",
                 .read = "4 tokens top_k",
                 .write = "blocks (4 block_size + 4) + 4, blocks of the recorded draw",
                 .strict = ""},
     .operands = Operands::kInteger,
     .catalogue = moe_align_block_size_published,
     .strict = as_published<moe_align_block_size_published>},
    {.formula = {.operator_name = "moe_count_and_sort",
                 .work = "",
                 .read = "4 tokens top_k",
                 .write = "4 tokens top_k + 4 experts + 4 (experts + 1)",
                 .strict = ""},
     .operands = Operands::kInteger,
     .catalogue = moe_count_and_sort_published,
     .strict = as_published<moe_count_and_sort_published>},
    {.formula = {.operator_name = "moe_sum_reduce",
                 .work = "tokens top_k hidden",
                 .read = "e tokens top_k hidden",
                 .write = "e tokens hidden",
                 .strict = "additions only, on the vector units"},
     .catalogue = moe_sum_reduce_published,
     .strict = moe_sum_reduce},
    {.formula = {.operator_name = "moe_topk_gating_softmax",
                 .work = "4 tokens experts - tokens",
                 .read = "e tokens experts",
                 .write = "8 tokens top_k",
                 .strict = "divides only the scores that are kept"},
     .catalogue = moe_topk_gating_softmax_published,
     .strict = moe_topk_gating_softmax},
    {.formula = {.operator_name = "expert_products",
                 .work = "2 tokens top_k expert_elements",
                 .read = "tokens token_bytes + top_k expert_bytes",
                 .write = "tokens token_bytes",
                 .strict = "one expert per choice of a token: more are read if tokens choose "
                           "differently"},
     .strict = expert_products},
};

}  // namespace

std::span<const CostEntry> moe_costs() {
  return kEntries;
}

}  // namespace tactus
