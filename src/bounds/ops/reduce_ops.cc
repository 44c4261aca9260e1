#include <algorithm>
#include <charconv>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

/// "[-1]", "[0, 1]" or "-1" as places in dims; nothing if one is out of range.
std::optional<std::vector<std::size_t>> read_places(std::string_view text, std::size_t rank) {
  std::vector<std::size_t> places;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    int place = 0;
    const auto [next, error] = std::from_chars(at, end, place);
    if (error != std::errc()) {
      ++at;
      continue;
    }
    at = next;
    if (place < 0) place += static_cast<int>(rank);
    if (place < 0 || place >= static_cast<int>(rank)) return std::nullopt;
    places.push_back(static_cast<std::size_t>(place));
  }
  return places;
}

/// The dims without those places; if none is named, everything is reduced to one.
double kept_elements(const TensorArgument& input, std::string_view places_text) {
  const std::optional<std::vector<std::size_t>> places =
      read_places(places_text, input.dims.size());
  if (!places || places->empty()) return 1;
  double kept = 1;
  for (std::size_t i = 0; i < input.dims.size(); ++i) {
    if (std::find(places->begin(), places->end(), i) == places->end()) {
      kept *= static_cast<double>(input.dims[i]);
    }
  }
  return kept;
}

Result<OpShape> read_reduce(const ReadOp& op, double result_bytes) {
  const TensorArgument* input = op.call.tensor(0);
  if (input == nullptr || !input->type) return odd_inputs();
  // norms take their order first
  const bool order_first = is_one_of(op.base, {"norm", "linalg_vector_norm"});
  const double kept = kept_elements(*input, op.call.value(order_first ? 2 : 1));
  return op_shape(
      "reduce", *input->type,
      {{"read_bytes", *input->stored_bytes()},
       {"write_bytes", kept * (result_bytes != 0 ? result_bytes : bytes_of(*input->type))},
       {"elements", input->stored_elements()}},
      inputs_text({input}));
}

Result<OpShape> read_softmax(const OpCall& call) {
  const TensorArgument* input = call.tensor(0);
  if (input == nullptr || !input->type || input->dims.empty()) return odd_inputs();
  const std::optional<std::vector<std::size_t>> places =
      read_places(call.value(1), input->dims.size());
  if (!places || places->size() != 1) return odd_inputs();
  const auto columns = static_cast<double>(input->dims[places->front()]);
  return op_shape("softmax", *input->type,
                  {{"rows", columns == 0 ? 0 : input->elements() / columns}, {"columns", columns}},
                  inputs_text({input}));
}

/// Read once and written once, for any number of passes of a kernel.
Result<OpShape> read_sort(const ReadOp& op) {
  const TensorArgument* input = op.call.tensor(0);
  if (input == nullptr || !input->type) return odd_inputs();
  const bool is_topk = op.base == "topk";
  const std::string_view place_text = op.call.value(is_topk ? 2 : 1);
  const std::optional<std::vector<std::size_t>> places =
      read_places(place_text, input->dims.size());
  if (!places || input->dims.empty()) return odd_inputs();
  const std::int64_t columns =
      input->dims[places->size() == 1 ? places->front() : input->dims.size() - 1];
  auto kept = static_cast<double>(columns);
  double bytes = bytes_of(*input->type);                 // of a scan
  if (is_one_of(op.base, {"sort", "topk"})) bytes += 8;  // and the index of each
  if (op.base == "argsort") bytes = 8;
  if (is_topk) {
    std::int64_t k = 0;
    const std::string_view text = op.call.value(1);
    std::from_chars(text.data(), text.data() + text.size(), k);
    kept = static_cast<double>(std::clamp<std::int64_t>(k, 0, columns));
  }
  if (is_one_of(op.base, {"multinomial", "nonzero"})) kept = 0;  // the number depends on the data
  return op_shape("sampling", *input->type,
                  {{"rows", columns == 0 ? 0 : input->elements() / static_cast<double>(columns)},
                   {"columns", static_cast<double>(columns)},
                   {"out_bytes", kept * bytes}},
                  inputs_text({input}));
}

/// [bytes] from "2-byte", "bf16": from a kernel's name, if a list of tensors has no types.
std::optional<double> bytes_of_decoded(std::string_view type) {
  if (const std::optional<NumberType> known = number_type_of(type)) return bytes_of(*known);
  if (type.ends_with("-byte")) {
    int bytes = 0;
    std::from_chars(type.data(), type.data() + type.size(), bytes);
    if (bytes > 0 && bytes <= 16) return bytes;
  }
  return std::nullopt;
}

Result<OpShape> read_cat(const ReadOp& op) {
  if (op.call.arguments.empty() || !op.call.arguments[0].is_list) return odd_inputs();
  const std::vector<TensorArgument>& tensors = op.call.arguments[0].tensors;
  const std::optional<double> bytes = bytes_of_decoded(op.kernel.dtype_in);
  if (tensors.empty() || !bytes) return odd_inputs();
  double read = 0;
  double written = 0;
  std::string label;
  for (const TensorArgument& tensor : tensors) {
    const bool is_placeholder = tensor.dims.size() == 1 && tensor.dims[0] == 0;
    if (is_placeholder) continue;
    read += tensor.stored_elements() * *bytes;
    written += tensor.elements() * *bytes;
    if (label.size() < 60) label += (label.empty() ? "" : ", ") + dims_text(tensor.dims);
  }
  label += ", " + std::string(op.kernel.dtype_in);
  return op_shape("cat", number_type_of(op.kernel.dtype_in).value_or(NumberType::kBf16),
                  {{"read_bytes", read}, {"write_bytes", written}}, std::move(label));
}

}  // namespace

OpReading read_reduce_op(const ReadOp& op) {
  if (!op.call.name.starts_with("aten::")) return std::nullopt;
  if (is_one_of(op.base, {"mean", "sum", "prod", "max", "min", "amax", "amin", "norm", "nansum",
                          "linalg_vector_norm", "var", "std", "logsumexp"})) {
    return read_reduce(op, 0);
  }
  if (is_one_of(op.base, {"any", "all"})) return read_reduce(op, 1);
  if (is_one_of(op.base, {"argmax", "argmin", "count_nonzero"})) return read_reduce(op, 8);
  if (op.base == "_assert_async") return read_reduce(op, 0);
  if (is_one_of(op.base, {"_softmax", "_log_softmax", "softmax"})) return read_softmax(op.call);
  if (is_one_of(op.base, {"sort", "argsort", "topk", "multinomial", "cumsum", "cumprod", "nonzero",
                          "_cumsum"})) {
    return read_sort(op);
  }
  if (is_one_of(op.base, {"cat", "concat", "stack"})) return read_cat(op);
  return std::nullopt;
}

}  // namespace tactus
