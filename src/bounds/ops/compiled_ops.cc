#include <algorithm>
#include <charconv>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

// torch.compile names its kernels after what it fused: triton_poi_fused_add_mul_3 (pointwise),
// triton_red_ and triton_per_ (reductions). The recorded inputs are the kernel's own, in the order
// in_out_ptr.., in_ptr.., out_ptr.., sizes.., and last the numbers of its loop:
//
//   Input Dims       [[32,512,4096],[16384,4096],[4096],[],[32,512,4096],[],[]]
//   Concrete Inputs  ["","","","1e-06","","16384","4096"]               xnumel, r0_numel
//
// The trace does not say which tensors are read and which are written, and a kernel may use only a
// part of a tensor. So each tensor counts once, and only if the kernel certainly goes through all
// of it.

std::optional<double> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return static_cast<double>(value);
}

/// The numbers after the last tensor, last first.
std::vector<double> trailing_numbers(const OpCall& call) {
  std::vector<double> numbers;
  for (std::size_t i = call.arguments.size(); i-- > 0;) {
    if (!call.arguments[i].tensors.empty()) break;
    const std::optional<double> number = whole_number(call.arguments[i].value);
    if (!number) break;
    numbers.push_back(*number);
  }
  return numbers;
}

/// How many elements the kernel's loop goes through. Pointwise loops have one number or, tiled,
/// two; only the sizes of the tensors show which. Reductions have two.
std::optional<double> loop_elements(const OpCall& call, bool reduces,
                                    std::span<const TensorArgument* const> tensors) {
  const std::vector<double> numbers = trailing_numbers(call);
  const auto has = [&](double elements) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const TensorArgument* tensor) {
      return tensor->elements() == elements;
    });
  };
  if (!reduces && !numbers.empty() && has(numbers[0])) return numbers[0];
  if (numbers.size() >= 2 && has(numbers[0] * numbers[1])) return numbers[0] * numbers[1];
  return std::nullopt;
}

/// Whether the name says that inputs are picked by index.
bool picks(std::string_view name) {
  for (const std::string_view word : {"embedding", "index", "gather", "scatter", "searchsorted"}) {
    if (name.find(word) != name.npos) return true;
  }
  return false;
}

/// Whether only parts of tensors are used. Rotary embedding uses both halves, so all is read.
bool cuts(std::string_view name) {
  const auto says = [&](std::string_view word) { return name.find(word) != name.npos; };
  const bool is_rotary = says("cos") && says("sin") && says("neg") && says("cat");
  if (is_rotary) return says("select") || says("split");
  return says("slice") || says("select") || says("split") || says("narrow") || says("unbind") ||
         says("pad");
}

}  // namespace

OpReading read_compiled_op(const ReadOp& op) {
  const std::string_view name = op.call.name;
  const bool reduces = name.starts_with("triton_red_") || name.starts_with("triton_per_");
  if (!reduces && !name.starts_with("triton_poi_")) return std::nullopt;
  const std::vector<const TensorArgument*> tensors = op.call.tensors();
  const std::optional<double> loop = loop_elements(op.call, reduces, tensors);
  if (!loop) return odd_inputs();
  double bytes = 0;
  double whole_bytes = 0;  // of the last tensor that is as large as the loop: the output
  std::optional<NumberType> type;
  for (const TensorArgument* tensor : tensors) {
    const std::optional<double> stored = tensor->stored_bytes();
    if (!stored) return odd_inputs();
    const bool is_whole = tensor->elements() == *loop;
    if (is_whole) whole_bytes = *stored;
    if (is_whole || (tensor->elements() < *loop && !picks(name))) bytes += *stored;
    if (is_whole && !type) type = tensor->type;
  }
  if (cuts(name)) bytes = whole_bytes;
  // "read" means all bytes: for the bound it does not matter which of them are written.
  return op_shape("elementwise", type.value_or(NumberType::kBf16),
                  {{"read_bytes", bytes}, {"write_bytes", 0}, {"flops", *loop}},
                  inputs_text(tensors));
}

}  // namespace tactus
