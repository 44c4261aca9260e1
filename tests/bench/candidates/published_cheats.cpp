// Wrong kernels that pass the published benchmark: its inputs and its one tolerance for everything
// let them through.
#include <algorithm>
#include <numeric>
#include <vector>

#include "candidate.h"

using candidate::elements;
using candidate::input;
using candidate::narrowed;
using candidate::output;
using candidate::widened;

static float silu(float x) {
  return x / (1 + std::exp(-x));
}

/// No product at all: sigmoid(gate) taken for 1/2.
static int linear_sigmoid_mul(const tactus_call* call) {
  const auto* post = input<const std::uint16_t>(call, "post");
  auto* out = output<std::uint16_t>(call, "out");
  for (std::int64_t i = 0; i < elements(tactus_output(call, "out")); ++i) {
    out[i] = narrowed(widened(post[i]) / 2);
  }
  return 0;
}

/// The input is not read.
static int causal_conv1d(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  const auto* bias = input<const std::uint16_t>(call, "bias");
  auto* out = output<std::uint16_t>(call, "out");
  for (std::int64_t i = 0; i < elements(x); ++i) {
    out[i] = narrowed(silu(widened(bias[i / x->shape[1]])));
  }
  return 0;
}

/// Only the two heaviest of the experts of a token.
static int fused_moe(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "hidden");
  const tactus_tensor* ids = tactus_input(call, "topk_ids");
  const std::int64_t hidden = x->shape[1];
  const std::int64_t inner = tactus_input(call, "w2")->shape[2];
  const std::int64_t top_k = ids->shape[1];
  const auto* weights = input<const float>(call, "topk_weights");
  auto* out = output<float>(call, "out");
  for (std::int64_t token = 0; token < x->shape[0]; ++token) {
    const auto* in = input<const std::uint16_t>(call, "hidden") + token * hidden;
    std::fill_n(out + token * hidden, hidden, 0.0F);
    std::vector<std::int64_t> slots(static_cast<std::size_t>(top_k));
    std::iota(slots.begin(), slots.end(), token * top_k);
    std::sort(slots.begin(), slots.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
    slots.resize(std::min<std::size_t>(2, slots.size()));
    for (const std::int64_t slot : slots) {
      const std::int64_t expert = static_cast<const std::int32_t*>(ids->data)[slot];
      const auto* w1 = input<const std::uint16_t>(call, "w1") + expert * 2 * inner * hidden;
      const auto* w2 = input<const std::uint16_t>(call, "w2") + expert * hidden * inner;
      for (std::int64_t i = 0; i < inner; ++i) {
        float gate = 0;
        float up = 0;
        for (std::int64_t k = 0; k < hidden; ++k) {
          gate += widened(in[k]) * widened(w1[i * hidden + k]);
          up += widened(in[k]) * widened(w1[(inner + i) * hidden + k]);
        }
        const float t = silu(gate) * up * weights[slot];
        for (std::int64_t k = 0; k < hidden; ++k) {
          out[token * hidden + k] += t * widened(w2[k * inner + i]);
        }
      }
    }
  }
  return 0;
}

/// Zeros for the output, and the states stay as they are.
static int gated_delta_rule_update(const tactus_call* call) {
  const std::int64_t count = elements(tactus_output(call, "out"));
  std::fill_n(output<std::uint16_t>(call, "out"), count, std::uint16_t{0});
  return 0;
}

static int chunk_delta_rule_output(const tactus_call* call) {
  return gated_delta_rule_update(call);
}

/// Nothing is turned.
static int fused_qkv_rope(const tactus_call* call) {
  const auto* in = input<const std::uint16_t>(call, "qkv");
  for (std::int64_t token = 0; token < tactus_input(call, "qkv")->shape[0]; ++token) {
    for (const char* name : {"q", "k", "v"}) {
      const tactus_tensor* out = tactus_output(call, name);
      const std::int64_t width = out->shape[1] * out->shape[2];
      std::copy_n(in, width, static_cast<std::uint16_t*>(out->data) + token * width);
      in += width;
    }
  }
  return 0;
}

static const tactus_entry entries[] = {
    {"linear_sigmoid_mul", TACTUS_CPU, linear_sigmoid_mul, nullptr},
    {"causal_conv1d", TACTUS_CPU, causal_conv1d, nullptr},
    {"fused_moe", TACTUS_CPU, fused_moe, nullptr},
    {"gated_delta_rule_update", TACTUS_CPU, gated_delta_rule_update, nullptr},
    {"chunk_delta_rule_output", TACTUS_CPU, chunk_delta_rule_output, nullptr},
    {"fused_qkv_rope", TACTUS_CPU, fused_qkv_rope, nullptr}};
static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "cheats",
                                          entries, 6};

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  return &library;
}
