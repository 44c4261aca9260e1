#include <algorithm>
#include <array>
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

/// The matrix whose rows are reduced, or whose columns are ("first"); nothing if the dims that are
/// reduced lie in the middle.
void note_matrix(const TensorArgument& input, std::string_view places_text,
                 Result<OpShape>& shape) {
  const std::size_t rank = input.dims.size();
  const std::optional<std::vector<std::size_t>> places = read_places(places_text, rank);
  if (!places) return;
  const auto is_reduced = [&](std::size_t i) {
    return places->empty() || std::find(places->begin(), places->end(), i) != places->end();
  };
  std::size_t begin = 0;  // of the reduced dims
  while (begin < rank && !is_reduced(begin)) ++begin;
  std::size_t end = begin;
  while (end < rank && is_reduced(end)) ++end;
  for (std::size_t i = end; i < rank; ++i) {
    if (is_reduced(i)) return;
  }
  const std::span<const std::int64_t> dims(input.dims);
  const double before = element_count(dims.first(begin));
  const double reduced = element_count(dims.subspan(begin, end - begin));
  const double behind = element_count(dims.subspan(end));
  if (behind > 1 && before > 1) return;
  note_layout(shape, "rows", behind > 1 ? reduced : before);
  note_layout(shape, "columns", behind > 1 ? behind : reduced);
  if (behind > 1) note_layout(shape, "first", 1);
}

Result<OpShape> read_reduce(const ReadOp& op, double result_bytes) {
  const TensorArgument* input = op.call.tensor(0);
  if (input == nullptr || !input->type) return odd_inputs();
  // norms take their order first
  const bool order_first = is_one_of(op.base, {"norm", "linalg_vector_norm"});
  const std::string_view places = op.call.value(order_first ? 2 : 1);
  const double kept = kept_elements(*input, places);
  Result<OpShape> shape =
      op_shape("reduce", *input->type,
               {{"read_bytes", *input->stored_bytes()},
                {"write_bytes", kept * (result_bytes != 0 ? result_bytes : bytes_of(*input->type))},
                {"elements", input->stored_elements()}},
               inputs_text({input}));
  note_matrix(*input, places, shape);
  return shape;
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

/// Rows of two tensors, one behind the other; of one alone all is a row.
void note_rows(std::span<const TensorArgument* const> tensors, std::string_view place_text,
               Result<OpShape>& shape) {
  if (tensors.empty() || tensors.size() > 2) return;
  const std::size_t rank = tensors[0]->dims.size();
  const std::optional<std::vector<std::size_t>> places = read_places(place_text, rank);
  const std::size_t place = places && places->size() == 1 ? places->front() : 0;
  if (!places || places->size() > 1 || rank == 0) return;
  double rows = 1;
  const std::array<std::string_view, 2> names = {"a_columns", "b_columns"};
  std::array<double, 2> columns = {0, 0};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::span<const std::int64_t> dims(tensors[i]->dims);
    if (dims.size() != rank) return;
    rows = element_count(dims.first(place));
    columns[i] = element_count(dims.subspan(place));
  }
  note_layout(shape, "rows", rows);
  for (std::size_t i = 0; i < tensors.size(); ++i) note_layout(shape, names[i], columns[i]);
}

Result<OpShape> read_cat(const ReadOp& op) {
  if (op.call.arguments.empty() || !op.call.arguments[0].is_list) return odd_inputs();
  const std::vector<TensorArgument>& tensors = op.call.arguments[0].tensors;
  const std::optional<double> bytes = bytes_of_decoded(op.kernel.dtype_in);
  if (tensors.empty() || !bytes) return odd_inputs();
  double read = 0;
  double written = 0;
  std::string label;
  std::vector<const TensorArgument*> real;
  for (const TensorArgument& tensor : tensors) {
    const bool is_placeholder = tensor.dims.size() == 1 && tensor.dims[0] == 0;
    if (is_placeholder) continue;
    real.push_back(&tensor);
    read += tensor.stored_elements() * *bytes;
    written += tensor.elements() * *bytes;
    if (label.size() < 60) label += (label.empty() ? "" : ", ") + dims_text(tensor.dims);
  }
  label += ", " + std::string(op.kernel.dtype_in);
  Result<OpShape> shape =
      op_shape("cat", number_type_of(op.kernel.dtype_in).value_or(NumberType::kBf16),
               {{"read_bytes", read}, {"write_bytes", written}}, std::move(label));
  if (op.base != "stack") note_rows(real, op.call.value(1), shape);
  return shape;
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
