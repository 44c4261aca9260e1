#include <algorithm>
#include <charconv>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

using Tensor = const TensorArgument*;

/// A smaller matrix is not one of weights.
constexpr std::int64_t kLeastWidth = 64;

/// Weights of one expert.
struct Expert {
  double elements = 0;
  double bytes = 0;
};

bool is_integer_matrix(const TensorArgument& tensor, std::int64_t rows) {
  return tensor.dims.size() == 2 && tensor.dims[0] == rows && tensor.type &&
         is_integer(*tensor.type) && *tensor.type != NumberType::kInt8;
}

bool is_score_matrix(const TensorArgument& tensor, std::int64_t rows) {
  return tensor.dims.size() == 2 && tensor.dims[0] == rows && tensor.type &&
         !is_integer(*tensor.type) && *tensor.type != NumberType::kBool;
}

/// Tensors that ops inside a layer make or take.
std::vector<TensorArgument> tensors_inside(const OpCall& call) {
  std::vector<TensorArgument> found;
  for (const OpCall& inner : call.inner) {
    if (const std::optional<TensorArgument> made = allocated_tensor(inner)) found.push_back(*made);
    for (const Tensor tensor : inner.tensors()) found.push_back(*tensor);
  }
  return found;
}

/// Experts per token: the chosen experts and their scores are two matrices of the same form, one of
/// integers and one of fractions.
std::optional<std::int64_t> experts_per_token(const std::vector<TensorArgument>& inside,
                                              std::int64_t tokens, std::int64_t experts) {
  for (const TensorArgument& ids : inside) {
    if (!is_integer_matrix(ids, tokens)) continue;
    const std::int64_t top_k = ids.dims[1];
    if (top_k < 1 || top_k > experts) continue;
    for (const TensorArgument& scores : inside) {
      if (is_score_matrix(scores, tokens) && scores.dims[1] == top_k) return top_k;
    }
  }
  return std::nullopt;
}

/// Two numbers of 4 bits are stored in a byte; then one side of a matrix is half as long.
bool is_packed(const TensorArgument& weights, std::int64_t hidden) {
  return *weights.type == NumberType::kInt8 && hidden % 2 == 0 &&
         (weights.dims[1] == hidden / 2 || weights.dims[2] == hidden / 2);
}

/// [experts, in, out] with hidden on one side.
bool are_weights(const TensorArgument& tensor, std::int64_t experts, std::int64_t hidden) {
  if (tensor.dims.size() != 3 || tensor.dims[0] != experts || !tensor.type) return false;
  const std::int64_t least = std::min(tensor.dims[1], tensor.dims[2]);
  const bool fits =
      tensor.dims[1] == hidden || tensor.dims[2] == hidden || is_packed(tensor, hidden);
  return fits && least >= kLeastWidth;
}

/// Equal dims count once: the trace does not say whether they are two tensors.
Expert expert_of(const std::vector<TensorArgument>& inside, std::int64_t experts,
                 std::int64_t hidden) {
  std::vector<Tensor> weights;
  bool packed = false;
  for (const TensorArgument& tensor : inside) {
    if (!are_weights(tensor, experts, hidden)) continue;
    const bool known = std::any_of(weights.begin(), weights.end(), [&](Tensor other) {
      return other->dims == tensor.dims && other->type == tensor.type;
    });
    if (!known) weights.push_back(&tensor);
    packed = packed || is_packed(tensor, hidden);
  }
  Expert expert;
  for (const Tensor tensor : weights) {
    const double stored =
        static_cast<double>(tensor->dims[1]) * static_cast<double>(tensor->dims[2]);
    expert.elements += packed && *tensor->type == NumberType::kInt8 ? 2 * stored : stored;
    expert.bytes += stored * bytes_of(*tensor->type);
  }
  return expert;
}

/// If no op shows the weights: a buffer with a row for each choice shows how wide the layer is
/// between its two products. Their types are those of the kernel.
Expert expert_by_buffer(const std::vector<TensorArgument>& inside, double choices,
                        std::int64_t hidden, std::optional<NumberType> type) {
  std::int64_t width = 0;
  for (const TensorArgument& tensor : inside) {
    if (tensor.dims.size() < 2 || !tensor.type) continue;
    const std::int64_t last = tensor.dims.back();
    if (last == hidden || last < kLeastWidth) continue;
    if (tensor.elements() / static_cast<double>(last) < choices) continue;
    if (width == 0 || last < width) width = last;
  }
  const double elements = 2 * static_cast<double>(width) * static_cast<double>(hidden);
  return {.elements = elements, .bytes = type ? elements * bytes_of(*type) : 0};
}

/// The narrowest type in a kernel's name, as its inputs may be of two: "mxfp4", "fp8", ...
std::optional<NumberType> type_of_kernel(const KernelName& kernel) {
  const std::string_view type = kernel.dtype_in;
  if (type.find("fp4") != std::string_view::npos) return NumberType::kFp4E2m1;
  if (type.find("fp8") != std::string_view::npos) return NumberType::kFp8E4m3;
  return number_type_of(type);
}

/// `type` sets the speed of the products: inside, x may become a narrower type.
Result<OpShape> products_shape(const TensorArgument& x, NumberType type, double tokens,
                               std::int64_t top_k, std::int64_t experts, const Expert& expert) {
  Result<OpShape> shape =
      op_shape("expert_products", type,
               {{"tokens", tokens},
                {"top_k", static_cast<double>(top_k)},
                {"token_bytes", static_cast<double>(x.dims[1]) * bytes_of(*x.type)},
                {"expert_elements", expert.elements},
                {"expert_bytes", expert.bytes}},
               std::to_string(static_cast<std::int64_t>(tokens)) + "x" + std::to_string(x.dims[1]) +
                   " to " + std::to_string(top_k) + " of " + std::to_string(experts) +
                   " experts, " + std::string(number_type_name(*x.type)));
  if (shape) shape->at_least = true;
  return shape;
}

/// moe_forward(x [tokens, hidden], scores [tokens, experts], layer): the weights belong to the
/// layer.
Result<OpShape> read_layer(const ReadOp& op) {
  const Tensor x = op.call.tensor(0);
  const Tensor scores = op.call.tensor(1);
  if (x == nullptr || scores == nullptr || x->dims.size() != 2 || scores->dims.size() != 2 ||
      !x->type || x->dims[0] != scores->dims[0] || x->dims[0] == 0) {
    return input_error(std::string(kUnknownExperts));
  }
  const std::int64_t hidden = x->dims[1];
  const std::int64_t experts = scores->dims[1];
  const std::vector<TensorArgument> inside = tensors_inside(op.call);
  const std::optional<std::int64_t> top_k = experts_per_token(inside, x->dims[0], experts);
  if (!top_k) return input_error(std::string(kUnknownExperts));
  auto tokens = static_cast<double>(x->dims[0]);
  const double choices = tokens * static_cast<double>(*top_k);
  const std::optional<NumberType> narrow = type_of_kernel(op.kernel);
  Expert expert = expert_of(inside, experts, hidden);
  if (expert.elements == 0) expert = expert_by_buffer(inside, choices, hidden, narrow);
  if (expert.elements == 0) return input_error(std::string(kUnknownExperts));
  // The inputs of a graph are padded; only the tokens of the step are certain.
  if (op.call.step) {
    const std::int64_t queries = op.call.step->all().queries;
    if (queries > 0) tokens = std::min(tokens, static_cast<double>(queries));
  }
  const bool is_narrower = narrow && bytes_of(*narrow) < bytes_of(*x->type);
  Result<OpShape> shape =
      products_shape(*x, is_narrower ? *narrow : *x->type, tokens, *top_k, experts, expert);
  if (shape) shape->evidence = ShapeEvidence::kInnerOps;
  return shape;
}

/// fused_experts(x, w1 [experts, out, in], w2, scores [tokens, k], ids [tokens, k], ...)
Result<OpShape> read_fused_experts(const OpCall& call) {
  const Tensor x = call.tensor(0);
  const Tensor w1 = call.tensor(1);
  if (x == nullptr || w1 == nullptr || x->dims.size() != 2 || w1->dims.size() != 3 || !x->type) {
    return odd_inputs();
  }
  const std::int64_t experts = w1->dims[0];
  std::vector<TensorArgument> inputs;
  for (const Tensor tensor : call.tensors()) {
    // A map of experts means that others are on other devices: none of the own ones is certain.
    const bool is_map = tensor->dims.size() == 1 && tensor->type && is_integer(*tensor->type) &&
                        tensor->dims[0] > experts;
    if (is_map) return input_error(std::string(kUnknownExperts));
    inputs.push_back(*tensor);
  }
  const std::optional<std::int64_t> top_k = experts_per_token(inputs, x->dims[0], experts);
  const Expert expert = expert_of(inputs, experts, x->dims[1]);
  if (!top_k || expert.elements == 0) return input_error(std::string(kUnknownExperts));
  return products_shape(*x, *x->type, static_cast<double>(x->dims[0]), *top_k, experts, expert);
}

/// Picks k of each row of scores; the kept scores are written.
Result<OpShape> topk_shape(const TensorArgument& scores, double top_k, double out_bytes) {
  if (scores.dims.size() != 2 || !scores.type || top_k < 1 ||
      top_k > static_cast<double>(scores.dims[1])) {
    return odd_inputs();
  }
  return op_shape(
      "sampling", *scores.type,
      {{"rows", static_cast<double>(scores.dims[0])},
       {"columns", static_cast<double>(scores.dims[1])},
       {"out_bytes", out_bytes}},
      std::to_string(static_cast<std::int64_t>(top_k)) + " of " + inputs_text({&scores}));
}

/// TopK(scores, k, ...) of Triton's kernels.
Result<OpShape> read_topk(const OpCall& call) {
  const Tensor scores = call.tensor(0);
  int top_k = 0;
  const std::string_view text = call.value(1);
  std::from_chars(text.data(), text.data() + text.size(), top_k);
  if (scores == nullptr || !scores->type) return odd_inputs();
  return topk_shape(*scores, top_k, top_k * bytes_of(*scores->type));
}

/// topk_softmax(weights [tokens, k], ids [tokens, k], ..., scores [tokens, experts])
Result<OpShape> read_topk_softmax(const OpCall& call) {
  const Tensor weights = call.tensor(0);
  const Tensor ids = call.tensor(1);
  Tensor scores = nullptr;
  for (const Tensor tensor : call.tensors()) {
    const bool wider =
        tensor->dims.size() == 2 && (scores == nullptr || tensor->dims[1] > scores->dims[1]);
    if (wider) scores = tensor;
  }
  if (weights == nullptr || ids == nullptr || scores == nullptr || weights->dims.size() != 2 ||
      ids->dims != weights->dims || scores->dims[0] != weights->dims[0] || !weights->type ||
      !ids->type) {
    return odd_inputs();
  }
  const auto top_k = static_cast<double>(weights->dims[1]);
  return topk_shape(*scores, top_k, top_k * (bytes_of(*weights->type) + bytes_of(*ids->type)));
}

/// Sorts the choices by expert: reads them, writes an index for each.
Result<OpShape> read_sort_tokens(Tensor ids) {
  if (ids == nullptr || ids->dims.size() != 2 || !ids->type) return odd_inputs();
  return op_shape("copy", *ids->type,
                  {{"read_bytes", *ids->stored_bytes()},
                   {"write_bytes", ids->elements() * bytes_of(NumberType::kInt32)}},
                  inputs_text({ids}));
}

}  // namespace

OpReading read_moe_op(const ReadOp& op) {
  const OpCall& call = op.call;
  if (is_one_of(op.base, {"moe_forward", "moe_forward_shared"})) return read_layer(op);
  if (is_one_of(op.base, {"inplace_fused_experts", "outplace_fused_experts", "fused_experts",
                          "rocm_aiter_fused_moe", "fused_moe"})) {
    return read_fused_experts(call);
  }
  if (op.base == "TopK") return read_topk(call);
  if (is_one_of(op.base, {"topk_softmax", "topk_sigmoid"})) return read_topk_softmax(call);
  if (op.base == "SortTokens") return read_sort_tokens(call.tensor(1));
  if (op.base == "moe_align_block_size") return read_sort_tokens(call.tensor(0));
  return std::nullopt;
}

}  // namespace tactus
