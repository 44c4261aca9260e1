#include <algorithm>
#include <charconv>
#include <cmath>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

/// What an op computes element by element from its first `inputs` arguments, as far as they are
/// tensors. A tensor after them is the output.
enum class Kind : std::uint8_t {
  kPromoted,  ///< the result has the type that the inputs have together
  kFloat,     ///< the same, but integers give floats
  kBool,
};

struct ElementwiseOp {
  std::string_view name;
  std::size_t inputs;
  Kind kind;
};

constexpr ElementwiseOp kElementwiseOps[] = {
    {"add", 2, Kind::kPromoted},
    {"sub", 2, Kind::kPromoted},
    {"rsub", 2, Kind::kPromoted},
    {"mul", 2, Kind::kPromoted},
    {"div", 2, Kind::kFloat},
    {"true_divide", 2, Kind::kFloat},
    {"floor_divide", 2, Kind::kPromoted},
    {"remainder", 2, Kind::kPromoted},
    {"fmod", 2, Kind::kPromoted},
    {"pow", 2, Kind::kPromoted},
    {"maximum", 2, Kind::kPromoted},
    {"minimum", 2, Kind::kPromoted},
    {"bitwise_and", 2, Kind::kPromoted},
    {"bitwise_or", 2, Kind::kPromoted},
    {"bitwise_xor", 2, Kind::kPromoted},
    {"logical_and", 2, Kind::kBool},
    {"logical_or", 2, Kind::kBool},
    {"logical_xor", 2, Kind::kBool},
    {"eq", 2, Kind::kBool},
    {"ne", 2, Kind::kBool},
    {"lt", 2, Kind::kBool},
    {"le", 2, Kind::kBool},
    {"gt", 2, Kind::kBool},
    {"ge", 2, Kind::kBool},
    {"addcmul", 3, Kind::kPromoted},
    {"addcdiv", 3, Kind::kFloat},
    {"lerp", 3, Kind::kPromoted},
    {"clamp", 3, Kind::kPromoted},
    {"clamp_min", 2, Kind::kPromoted},
    {"clamp_max", 2, Kind::kPromoted},
    {"neg", 1, Kind::kPromoted},
    {"abs", 1, Kind::kPromoted},
    {"square", 1, Kind::kPromoted},
    {"sign", 1, Kind::kPromoted},
    {"relu", 1, Kind::kPromoted},
    {"threshold", 1, Kind::kPromoted},
    {"bitwise_not", 1, Kind::kPromoted},
    {"logical_not", 1, Kind::kBool},
    {"isnan", 1, Kind::kBool},
    {"isinf", 1, Kind::kBool},
    {"isfinite", 1, Kind::kBool},
    {"floor", 1, Kind::kPromoted},
    {"ceil", 1, Kind::kPromoted},
    {"round", 1, Kind::kPromoted},
    {"trunc", 1, Kind::kPromoted},
    {"nan_to_num", 1, Kind::kPromoted},
    {"exp", 1, Kind::kFloat},
    {"exp2", 1, Kind::kFloat},
    {"expm1", 1, Kind::kFloat},
    {"log", 1, Kind::kFloat},
    {"log2", 1, Kind::kFloat},
    {"log1p", 1, Kind::kFloat},
    {"sqrt", 1, Kind::kFloat},
    {"rsqrt", 1, Kind::kFloat},
    {"sin", 1, Kind::kFloat},
    {"cos", 1, Kind::kFloat},
    {"tan", 1, Kind::kFloat},
    {"tanh", 1, Kind::kFloat},
    {"erf", 1, Kind::kFloat},
    {"sigmoid", 1, Kind::kFloat},
    {"reciprocal", 1, Kind::kFloat},
    {"silu", 1, Kind::kFloat},
    {"gelu", 1, Kind::kFloat},
    {"mish", 1, Kind::kFloat},
    {"softplus", 1, Kind::kFloat},
    {"elu", 1, Kind::kFloat},
    {"leaky_relu", 1, Kind::kFloat},
    {"hardswish", 1, Kind::kFloat},
    {"hardsigmoid", 1, Kind::kFloat},
    {"log_sigmoid_forward", 1, Kind::kFloat},
};

/// The type that holds both: floats before integers, then the larger.
NumberType promoted(NumberType a, NumberType b) {
  if (is_integer(a) != is_integer(b)) return is_integer(a) ? b : a;
  return bytes_of(b) > bytes_of(a) ? b : a;
}

/// Tensors without dims are numbers: they do not widen the other types.
std::optional<NumberType> common_type(std::span<const TensorArgument* const> inputs) {
  std::optional<NumberType> of_tensors;
  std::optional<NumberType> of_numbers;
  for (const TensorArgument* input : inputs) {
    if (!input->type) return std::nullopt;
    std::optional<NumberType>& type = input->dims.empty() ? of_numbers : of_tensors;
    type = type ? promoted(*type, *input->type) : *input->type;
  }
  return of_tensors ? of_tensors : of_numbers;
}

bool looks_fractional(std::string_view value) {
  return value.find_first_of(".einf") != std::string_view::npos && value != "True" &&
         value != "False";
}

/// [bytes] of one element of the result.
double result_bytes(const ElementwiseOp& known, const OpCall& call, NumberType common) {
  if (known.kind == Kind::kBool) return 1;
  if (!is_integer(common)) return bytes_of(common);
  bool is_float = known.kind == Kind::kFloat;
  for (std::size_t i = 0; i < known.inputs; ++i) is_float |= looks_fractional(call.value(i));
  // The default type, which may be a 16-bit type.
  return is_float ? 2 : bytes_of(common);
}

/// How b meets a, if a has the dims of the result: "row" numbers of b meet every row of a, or each
/// number of b meets "column" numbers. Nothing is noted if b is as large as a, or lies otherwise.
void note_broadcast(std::span<const TensorArgument* const> inputs,
                    const std::vector<std::int64_t>& dims, Result<OpShape>& shape) {
  if (inputs.size() != 2 || inputs[0]->dims != dims || inputs[0]->type != inputs[1]->type) return;
  const std::size_t missing = dims.size() - inputs[1]->dims.size();
  const auto is_one = [&](std::size_t i) {
    return i < missing || inputs[1]->dims[i - missing] == 1;
  };
  // A run of ones before or behind the dims that b has.
  std::size_t begin = 0;
  while (begin < dims.size() && is_one(begin)) ++begin;
  if (begin == dims.size()) begin = 0;  // one number: a column of one row
  std::size_t end = dims.size();
  while (end > begin && is_one(end - 1)) --end;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_one(i) && dims[i] != 1) return;
  }
  const std::span<const std::int64_t> all(dims);
  const double before = element_count(all.first(begin));
  const double behind = element_count(all.subspan(end));
  if (before > 1 && behind == 1) note_layout(shape, "row", element_count(all.subspan(begin)));
  if (before == 1 && behind > 1) note_layout(shape, "column", behind);
}

Result<OpShape> read_op(const ReadOp& op, const ElementwiseOp& known) {
  std::vector<const TensorArgument*> inputs;
  for (std::size_t i = 0; i < known.inputs; ++i) {
    if (const TensorArgument* input = op.call.tensor(i)) inputs.push_back(input);
  }
  const std::optional<NumberType> common = common_type(inputs);
  const std::optional<std::vector<std::int64_t>> dims = broadcast(inputs);
  if (inputs.empty() || !common || !dims) return odd_inputs();
  double read = 0;
  for (const TensorArgument* input : inputs) read += *input->stored_bytes();
  const double elements = element_count(*dims);
  const TensorArgument* out = op.in_place ? inputs.front() : nullptr;
  for (std::size_t i = known.inputs; i < op.call.arguments.size() && out == nullptr; ++i) {
    out = op.call.tensor(i);
  }
  const bool has_type = out != nullptr && out->type.has_value();
  const double written =
      elements * (has_type ? bytes_of(*out->type) : result_bytes(known, op.call, *common));
  Result<OpShape> shape = op_shape(
      "elementwise", *common, {{"read_bytes", read}, {"write_bytes", written}, {"flops", elements}},
      inputs_text(inputs));
  // Of a sum or a product, it does not matter which one is the small one.
  if (is_one_of(op.base, {"add", "mul"}) && inputs.size() == 2 && inputs[0]->dims != *dims) {
    std::swap(inputs[0], inputs[1]);
  }
  note_broadcast(inputs, *dims, shape);
  return shape;
}

Result<OpShape> read_copy(const OpCall& call) {
  const TensorArgument* to = call.tensor(0);
  const TensorArgument* from = call.tensor(1);
  if (to == nullptr || from == nullptr || !to->type || !from->type) return odd_inputs();
  std::string label = dims_text(to->dims) + ", " + std::string(number_type_name(*from->type));
  if (from->type != to->type) label += " to " + std::string(number_type_name(*to->type));
  // A source that is smaller than the target is read once.
  const double read = std::min(*from->stored_bytes(), to->elements() * bytes_of(*from->type));
  return op_shape("copy", *to->type, {{"read_bytes", read}, {"write_bytes", *to->stored_bytes()}},
                  std::move(label));
}

/// where(condition, a, b) must read the condition and, for each element, one of the two.
Result<OpShape> read_where(const OpCall& call) {
  std::vector<const TensorArgument*> inputs;
  for (std::size_t i = 0; i < 3; ++i) {
    if (const TensorArgument* input = call.tensor(i)) inputs.push_back(input);
  }
  const std::optional<std::vector<std::int64_t>> dims = broadcast(inputs);
  if (inputs.empty() || !dims || !inputs.front()->type) return odd_inputs();
  const std::optional<NumberType> common = common_type(std::span(inputs).subspan(1));
  double chosen = 0;
  if (inputs.size() == 3 && common) {
    chosen = std::min(*inputs[1]->stored_bytes(), *inputs[2]->stored_bytes());
  }
  const double bytes = common ? bytes_of(*common) : 1;
  return op_shape("elementwise", common.value_or(NumberType::kFp32),
                  {{"read_bytes", *inputs.front()->stored_bytes() + chosen},
                   {"write_bytes", element_count(*dims) * bytes},
                   {"flops", 0}},
                  inputs_text(inputs));
}

/// masked_fill must read the mask; in place, unmasked elements do not change.
Result<OpShape> read_masked_fill(const ReadOp& op) {
  const TensorArgument* self = op.call.tensor(0);
  const TensorArgument* mask = op.call.tensor(1);
  if (self == nullptr || mask == nullptr || !self->type || !mask->type) return odd_inputs();
  return op_shape("elementwise", *self->type,
                  {{"read_bytes", *mask->stored_bytes()},
                   {"write_bytes", op.in_place ? 0 : *self->stored_bytes()},
                   {"flops", 0}},
                  inputs_text({self, mask}));
}

double to_number(std::string_view text) {
  double value = std::nan("");
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// arange(start, end, step, out), where the first ones may be missing; `out` is still empty.
Result<OpShape> read_arange(const OpCall& call) {
  std::vector<double> numbers;
  const TensorArgument* out = nullptr;
  for (std::size_t i = 0; i < call.arguments.size() && out == nullptr; ++i) {
    out = call.tensor(i);
    if (out == nullptr && !call.value(i).empty()) numbers.push_back(to_number(call.value(i)));
  }
  if (out == nullptr || !out->type || numbers.empty() || numbers.size() > 3) return odd_inputs();
  const double start = numbers.size() == 1 ? 0 : numbers[0];
  const double end = numbers.size() == 1 ? numbers[0] : numbers[1];
  const double step = numbers.size() == 3 ? numbers[2] : 1;
  const double count = std::ceil((end - start) / step);
  if (!std::isfinite(count)) return odd_inputs();
  return op_shape("fill", *out->type,
                  {{"write_bytes", std::max(0.0, count) * bytes_of(*out->type)}},
                  std::to_string(static_cast<std::int64_t>(std::clamp(count, 0.0, 1e15))) + ", " +
                      std::string(number_type_name(*out->type)));
}

Result<OpShape> read_fill(const OpCall& call) {
  const TensorArgument* self = call.tensor(0);
  if (self == nullptr || !self->type) return odd_inputs();
  return op_shape("fill", *self->type, {{"write_bytes", *self->stored_bytes()}},
                  inputs_text({self}));
}

}  // namespace

OpReading read_elementwise_op(const ReadOp& op) {
  if (!op.call.name.starts_with("aten::")) return std::nullopt;
  for (const ElementwiseOp& known : kElementwiseOps) {
    if (op.base == known.name) return read_op(op, known);
  }
  if (op.base == "copy" && op.in_place) return read_copy(op.call);
  if (op.base == "where") return read_where(op.call);
  if (op.base == "masked_fill") return read_masked_fill(op);
  if (op.base == "arange") return read_arange(op.call);
  // Random numbers count only as written; the cost of drawing them depends on the generator.
  if (op.in_place && is_one_of(op.base, {"fill", "zero", "uniform", "normal", "exponential",
                                         "random", "bernoulli", "log_normal"})) {
    return read_fill(op.call);
  }
  return std::nullopt;
}

}  // namespace tactus
