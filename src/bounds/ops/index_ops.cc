#include <algorithm>
#include <charconv>

#include "bounds/ops/op_readers.h"

namespace tactus {
namespace {

/// Rows of a table, picked by index. `index` may be expanded to the width of the rows.
Result<OpShape> gather(const TensorArgument& table, const TensorArgument& index, double rows,
                       double columns, double table_rows) {
  if (!table.type || !index.type) return odd_inputs();
  return op_shape("gather", *table.type,
                  {{"rows", rows},
                   {"columns", columns},
                   {"table_rows", table_rows},
                   {"index_bytes", rows > 0 ? *index.stored_bytes() / rows : 0}},
                  std::to_string(static_cast<std::int64_t>(std::clamp(rows, 0.0, 1e15))) + " of " +
                      dims_text(table.dims) + ", " + std::string(number_type_name(*table.type)));
}

std::optional<std::size_t> place_of(std::string_view text, std::size_t rank) {
  int place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc()) return std::nullopt;
  if (place < 0) place += static_cast<int>(rank);
  if (place < 0 || place >= static_cast<int>(rank)) return std::nullopt;
  return static_cast<std::size_t>(place);
}

/// gather(self, dim, index): one element of self per element of the index. Rows if the index is the
/// same for a whole row (stride 0), single elements otherwise.
Result<OpShape> read_gather(const OpCall& call) {
  const TensorArgument* self = call.tensor(0);
  const TensorArgument* index = call.tensor(2);
  if (self == nullptr || index == nullptr) return odd_inputs();
  double columns = 1;
  if (index->strides.size() == index->dims.size()) {
    for (std::size_t i = 0; i < index->dims.size(); ++i) {
      if (index->strides[i] == 0) columns *= static_cast<double>(index->dims[i]);
    }
  }
  if (columns == 0) return odd_inputs();
  return gather(*self, *index, index->elements() / columns, columns, self->elements() / columns);
}

/// index_select(self, dim, index): whole slices of self.
Result<OpShape> read_index_select(const OpCall& call) {
  const TensorArgument* self = call.tensor(0);
  const TensorArgument* index = call.tensor(2);
  if (self == nullptr || index == nullptr) return odd_inputs();
  const std::optional<std::size_t> place = place_of(call.value(1), self->dims.size());
  if (!place || self->dims[*place] == 0) return odd_inputs();
  const auto slices = static_cast<double>(self->dims[*place]);
  return gather(*self, *index, index->elements(), self->elements() / slices, slices);
}

Result<OpShape> read_embedding(const OpCall& call) {
  const TensorArgument* weights = call.tensor(0);
  const TensorArgument* indices = call.tensor(1);
  if (weights == nullptr || indices == nullptr || weights->dims.size() != 2) return odd_inputs();
  return gather(*weights, *indices, indices->elements(), static_cast<double>(weights->dims[1]),
                static_cast<double>(weights->dims[0]));
}

/// index(self, [indices]): slices along the first dims. Newer profilers record no dims for lists
/// with gaps; then nothing is known.
Result<OpShape> read_index(const OpCall& call) {
  const TensorArgument* self = call.tensor(0);
  if (self == nullptr || call.arguments.size() < 2) return odd_inputs();
  const OpArgument& list = call.arguments[1];
  if (!list.is_list || list.tensors.size() != 1 || self->dims.empty() || self->dims[0] == 0) {
    return input_error(std::string(kUnknownIndices));
  }
  TensorArgument index = list.tensors.front();
  index.type = NumberType::kInt32;  // a list has no type; masks, which do not say how many, are
  const auto slices = static_cast<double>(self->dims[0]);  // told by having more dims
  if (index.dims.size() != 1) return input_error(std::string(kUnknownIndices));
  return gather(*self, index, index.elements(), self->elements() / slices, slices);
}

/// Writes of `source` to indexed places: source and index are read, source is written.
Result<OpShape> read_scatter(const OpCall& call, std::size_t index_place) {
  const TensorArgument* self = call.tensor(0);
  const TensorArgument* index = call.tensor(index_place);
  const TensorArgument* source = call.tensor(index_place + 1);
  if (self == nullptr || index == nullptr || !self->type || !index->type) return odd_inputs();
  const double written =
      (source != nullptr ? source->elements() : index->elements()) * bytes_of(*self->type);
  const double read = source != nullptr && source->type ? *source->stored_bytes() : 0;
  return op_shape("copy", *self->type,
                  {{"read_bytes", read + *index->stored_bytes()}, {"write_bytes", written}},
                  dims_text(source != nullptr ? source->dims : index->dims) + " into " +
                      dims_text(self->dims) + ", " + std::string(number_type_name(*self->type)));
}

}  // namespace

OpReading read_index_op(const ReadOp& op) {
  if (!op.call.name.starts_with("aten::")) return std::nullopt;
  if (op.base == "gather") return read_gather(op.call);
  if (op.base == "index_select") return read_index_select(op.call);
  if (op.base == "embedding") return read_embedding(op.call);
  if (op.base == "index") return read_index(op.call);
  // Several sources may go to one place: then less is written.
  if (is_one_of(op.base, {"scatter", "index_copy"})) return read_scatter(op.call, 2);
  if (is_one_of(op.base, {"index_put", "_index_put_impl", "masked_select", "masked_scatter"})) {
    return input_error(std::string(kUnknownIndices));
  }
  return std::nullopt;
}

}  // namespace tactus
