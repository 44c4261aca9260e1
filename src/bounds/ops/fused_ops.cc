#include <algorithm>
#include <charconv>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

using Tensor = const TensorArgument*;

double last(Tensor tensor) {
  return tensor->dims.empty() ? 1 : static_cast<double>(tensor->dims.back());
}

std::string rows_text(double rows, double columns, NumberType type) {
  return std::to_string(static_cast<std::int64_t>(std::clamp(rows, 0.0, 1e15))) + "x" +
         std::to_string(static_cast<std::int64_t>(std::clamp(columns, 0.0, 1e15))) + ", " +
         std::string(number_type_name(type));
}

/// Norms are called with x and a weight as wide as its rows, in any order and with or without
/// outputs: the weight is the vector, x is the tensor with rows of its width.
Result<OpShape> read_norm(const OpCall& call, std::string_view operator_name) {
  Tensor weight = nullptr;
  Tensor x = nullptr;
  for (const Tensor tensor : call.tensors()) {
    if (weight == nullptr && tensor->dims.size() == 1 && tensor->elements() > 1) weight = tensor;
    if (x == nullptr && tensor->dims.size() > 1) x = tensor;
  }
  if (x == nullptr || !x->type) return odd_inputs();
  const double width = weight != nullptr ? weight->elements() : last(x);
  if (width != last(x) || width == 0) return odd_inputs();
  const double rows = x->elements() / width;
  const std::string label = rows_text(rows, width, *x->type);
  return op_shape(operator_name, *x->type, {{"tokens", rows}, {"hidden", width}}, label);
}

/// act(x[:, :d]) * x[:, d:]; called as (out, x) or (x).
Result<OpShape> read_gated(const OpCall& call) {
  Tensor x = nullptr;
  for (const Tensor tensor : call.tensors()) {
    if (x == nullptr || tensor->elements() > x->elements()) x = tensor;
  }
  if (x == nullptr || !x->type || last(x) == 0) return odd_inputs();
  const double rows = x->elements() / last(x);
  const std::string label = rows_text(rows, last(x), *x->type);
  return op_shape("silu_and_mul", *x->type, {{"tokens", rows}, {"width", last(x)}}, label);
}

/// rotary_embedding(positions, q, k, head_size, cos_sin_cache, is_neox) turns q and k in place: in
/// each head, as many numbers as the cache is wide.
Result<OpShape> read_rope(const OpCall& call) {
  const Tensor q = call.tensor(1);
  const Tensor k = call.tensor(2);
  const Tensor cache = call.tensor(4);
  const Tensor positions = call.tensor(0);
  int head = 0;
  const std::string_view text = call.value(3);
  std::from_chars(text.data(), text.data() + text.size(), head);
  if (q == nullptr || cache == nullptr || positions == nullptr || head <= 0 || !q->type ||
      cache->dims.size() != 2) {
    return odd_inputs();
  }
  const double tokens = positions->elements();
  double elements = q->elements();
  std::vector<Tensor> shown = {q};
  if (k != nullptr) {
    elements += k->elements();
    shown.push_back(k);
  }
  if (tokens == 0) return odd_inputs();
  return op_shape("rope", *q->type,
                  {{"tokens", tokens},
                   {"heads", elements / tokens / head},
                   {"rope_dim", std::min<double>(head, last(cache))}},
                  inputs_text(shown));
}

/// (key, value, key_cache, value_cache, slots, ...): each token's keys and values go to a slot.
Result<OpShape> read_cache_write(const OpCall& call) {
  const Tensor key = call.tensor(0);
  const Tensor value = call.tensor(1);
  const Tensor cache = call.tensor(2);
  const Tensor slots = call.tensor(4);
  if (key == nullptr || value == nullptr || cache == nullptr || slots == nullptr || !key->type ||
      !cache->type || !slots->type || key->dims.empty() || key->dims[0] == 0) {
    return odd_inputs();
  }
  // Padding has keys but no slot.
  const double tokens = std::min(static_cast<double>(key->dims[0]), slots->elements());
  const double elements =
      (key->elements() + value->elements()) * tokens / static_cast<double>(key->dims[0]);
  return op_shape("copy", *key->type,
                  {{"read_bytes", elements * bytes_of(*key->type) + *slots->stored_bytes()},
                   {"write_bytes", elements * bytes_of(*cache->type)}},
                  inputs_text({key, value}));
}

/// (out, x, ...): x is read, out written.
Result<OpShape> read_quantise(const OpCall& call, std::size_t out_place, std::size_t x_place) {
  const Tensor out = call.tensor(out_place);
  const Tensor x = call.tensor(x_place);
  if (out == nullptr || x == nullptr || !out->type || !x->type) return odd_inputs();
  return op_shape("elementwise", *x->type,
                  {{"read_bytes", *x->stored_bytes()},
                   {"write_bytes", *out->stored_bytes()},
                   {"flops", x->elements()}},
                  inputs_text({x}) + " to " + std::string(number_type_name(*out->type)));
}

/// moe_sum(x [tokens, k, hidden], out [tokens, hidden]).
Result<OpShape> read_moe_sum(const OpCall& call) {
  const Tensor x = call.tensor(0);
  if (x == nullptr || x->dims.size() != 3 || !x->type) return odd_inputs();
  return op_shape("moe_sum_reduce", *x->type,
                  {{"tokens", static_cast<double>(x->dims[0])},
                   {"top_k", static_cast<double>(x->dims[1])},
                   {"hidden", static_cast<double>(x->dims[2])}},
                  inputs_text({x}));
}

}  // namespace

OpReading read_fused_op(const ReadOp& op) {
  const OpCall& call = op.call;
  if (is_one_of(op.base, {"rms_norm", "rmsnorm", "_fused_rms_norm", "rocm_aiter_rms_norm",
                          "rms_norm_cu", "gemma_rmsnorm"})) {
    return read_norm(call, "rms_norm");
  }
  if (is_one_of(op.base, {"fused_add_rms_norm", "fused_add_rmsnorm", "add_rmsnorm",
                          "rmsnorm2d_fwd_with_add", "rmsnorm2d_fwd_with_add_ck",
                          "gemma_fused_add_rmsnorm", "rocm_aiter_rmsnorm2d_fwd_with_add"})) {
    return read_norm(call, "fused_add_rms_norm");
  }
  if (is_one_of(op.base, {"native_layer_norm", "layer_norm"})) {
    return read_norm(call, "layer_norm");
  }
  if (is_one_of(op.base, {"silu_and_mul", "gelu_and_mul", "gelu_tanh_and_mul", "mul_and_silu"})) {
    return read_gated(call);
  }
  if (op.base == "rotary_embedding") return read_rope(call);
  if (is_one_of(op.base, {"reshape_and_cache_flash", "reshape_and_cache", "store_cache"})) {
    return read_cache_write(call);
  }
  if (is_one_of(op.base, {"static_scaled_fp8_quant", "dynamic_scaled_fp8_quant",
                          "dynamic_per_token_scaled_fp8_quant", "static_scaled_int8_quant",
                          "dynamic_scaled_int8_quant"})) {
    return read_quantise(call, 0, 1);
  }
  if (is_one_of(op.base, {"per_token_group_fp8_quant", "sgl_per_token_group_quant_fp8",
                          "sgl_per_token_quant_fp8", "sgl_per_tensor_quant_fp8"})) {
    return read_quantise(call, 1, 0);
  }
  if (op.base == "moe_sum") return read_moe_sum(call);
  return std::nullopt;
}

}  // namespace tactus
