#include "bounds/ops/op_shape.h"

#include <algorithm>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

// Doubles count exactly up to this; a larger shape is damaged.
constexpr double kLargest = 9007199254740992.0;

std::string_view base_name(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

bool is_collective(std::string_view name, std::string_view base) {
  return name == "record_param_comms" || name.starts_with("c10d::") || name.starts_with("nccl") ||
         base.find("all_reduce") != std::string_view::npos ||
         base.find("all_gather") != std::string_view::npos ||
         base.find("reduce_scatter") != std::string_view::npos;
}

}  // namespace

std::string_view shape_evidence_name(ShapeEvidence evidence) {
  switch (evidence) {
    case ShapeEvidence::kShapes: return "shapes";
    case ShapeEvidence::kInnerOps: return "inner_ops";
    case ShapeEvidence::kAnnotation: break;
  }
  return "annotation";
}

Result<OpShape> read_op_shape(const OpCall& call, const KernelName& kernel) {
  std::string_view base = base_name(call.name);
  if (kernel.family == Family::kCollective || is_collective(call.name, base)) {
    const ReadOp op = {call, base, false, kernel};
    if (OpReading reading = read_collective_op(op)) return std::move(*reading);
    return input_error(std::string(kCollective));
  }
  const bool in_place = base.size() > 1 && base.ends_with('_') && !base.ends_with("__");
  if (in_place) base.remove_suffix(1);
  const ReadOp op = {call, base, in_place, kernel};
  // Compiled kernels have the names of everything inside them, so their reader is asked first.
  for (const auto reader : {read_compiled_op, read_gemm_op, read_elementwise_op, read_reduce_op,
                            read_index_op, read_attention_op, read_moe_op, read_fused_op}) {
    if (OpReading reading = reader(op)) return std::move(*reading);
  }
  return input_error(std::string(kUnknownOp));
}

Result<OpShape> op_shape(std::string_view operator_name, NumberType type,
                         std::initializer_list<std::pair<std::string_view, double>> values,
                         std::string label) {
  OpShape shape;
  shape.operator_name = operator_name;
  shape.parameters.dtype = type;
  shape.label = std::move(label);
  for (const auto& [name, value] : values) {
    if (!(value >= 0) || value > kLargest) return odd_inputs();
    shape.parameters.values.emplace_back(name, static_cast<std::int64_t>(value));
  }
  return shape;
}

void note_layout(Result<OpShape>& shape, std::string_view name, double value) {
  if (!shape || !(value >= 0) || value > kLargest) return;
  shape->parameters.values.emplace_back(name, static_cast<std::int64_t>(value));
}

std::string dims_text(const std::vector<std::int64_t>& dims) {
  if (dims.empty()) return "1";
  std::string text;
  for (const std::int64_t size : dims) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::string inputs_text(std::span<const TensorArgument* const> tensors) {
  std::string text;
  std::optional<NumberType> type;
  for (const TensorArgument* tensor : tensors) {
    text += (text.empty() ? "" : ", ") + dims_text(tensor->dims);
    if (!type) type = tensor->type;
  }
  if (type) text += (text.empty() ? "" : ", ") + std::string(number_type_name(*type));
  return text;
}

std::string inputs_text(std::initializer_list<const TensorArgument*> tensors) {
  return inputs_text(std::span(tensors.begin(), tensors.size()));
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace tactus
