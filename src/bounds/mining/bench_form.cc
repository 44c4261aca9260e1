#include "bounds/mining/bench_form.h"

#include <array>
#include <optional>
#include <utility>

namespace tactus {
namespace {

using Values = std::vector<std::pair<std::string, std::int64_t>>;

std::int64_t value_of(const TraceShape& shape, std::string_view name) {
  return shape.parameters.find(name).value_or(0);
}

bool has_arithmetic(NumberType type) {
  return type == NumberType::kBf16 || type == NumberType::kFp16 || type == NumberType::kFp32;
}

std::int64_t width_of(NumberType type) {
  return static_cast<std::int64_t>(bytes_of(type));
}

struct ElementwiseForm {
  std::string_view op;  ///< without the "_" of ops in place
  std::string_view operator_name;
  std::int64_t inputs;
};

constexpr std::array kElementwise = {
    ElementwiseForm{"aten::add", "add", 2},   ElementwiseForm{"aten::sub", "sub", 2},
    ElementwiseForm{"aten::mul", "mul", 2},   ElementwiseForm{"aten::div", "div", 2},
    ElementwiseForm{"aten::silu", "silu", 1}, ElementwiseForm{"aten::gelu", "gelu", 1}};

/// Only if all tensors have the same type, and the second is as large, a row or a column.
std::optional<BenchForm> elementwise_form(const TraceShape& shape) {
  if (shape.operator_name != "elementwise" || !has_arithmetic(shape.parameters.dtype)) {
    return std::nullopt;
  }
  std::string_view op = shape.op;
  if (op.ends_with('_')) op.remove_suffix(1);
  const std::int64_t width = width_of(shape.parameters.dtype);
  const std::int64_t written = value_of(shape, "write_bytes");
  const std::int64_t elements = written / width;
  const std::int64_t row = value_of(shape, "row");
  const std::int64_t column = value_of(shape, "column");
  const std::int64_t second = row > 0 ? row : column > 0 ? elements / column : elements;
  for (const ElementwiseForm& form : kElementwise) {
    if (op != form.op || written <= 0 || written % width != 0) continue;
    const std::int64_t read = elements + (form.inputs == 2 ? second : 0);
    if (value_of(shape, "read_bytes") != read * width) continue;
    if (value_of(shape, "flops") != elements) continue;
    Values values = {{"elements", elements}};
    if (row > 0) values.emplace_back("row", row);
    if (column > 0) values.emplace_back("column", column);
    return BenchForm{std::string(form.operator_name),
                     {.values = std::move(values), .dtype = shape.parameters.dtype}};
  }
  return std::nullopt;
}

/// Of the rows or of the columns of a matrix. (The largest of a row comes with its place.)
std::optional<BenchForm> reduce_form(const TraceShape& shape) {
  const NumberType type = shape.parameters.dtype;
  const std::int64_t rows = value_of(shape, "rows");
  const std::int64_t columns = value_of(shape, "columns");
  if (shape.operator_name != "reduce" || !has_arithmetic(type) || rows < 1 || columns < 1) {
    return std::nullopt;
  }
  const std::int64_t first = value_of(shape, "first");
  const std::int64_t results = first != 0 ? columns : rows;
  const bool is_largest = shape.op == "aten::amax" || (shape.op == "aten::max" && results == 1);
  const std::string_view name = shape.op == "aten::sum"    ? "sum"
                                : shape.op == "aten::mean" ? "mean"
                                : is_largest               ? "max"
                                                           : "";
  if (name.empty() || value_of(shape, "read_bytes") != rows * columns * width_of(type) ||
      value_of(shape, "write_bytes") != results * width_of(type)) {
    return std::nullopt;
  }
  Values values = {{"rows", rows}, {"columns", columns}};
  if (first != 0) values.emplace_back("first", 1);
  return BenchForm{std::string(name), {.values = std::move(values), .dtype = type}};
}

/// Two tensors whose rows alternate; one alone is copied. Numbers that are not known to be others
/// are taken for the floats of that size.
std::optional<BenchForm> cat_form(const TraceShape& shape) {
  const std::int64_t written = value_of(shape, "write_bytes");
  const std::int64_t rows = value_of(shape, "rows");
  const std::int64_t a = value_of(shape, "a_columns");
  const std::int64_t b = value_of(shape, "b_columns");
  if (shape.operator_name != "cat" || rows < 1 || a < 1 || written < 1 ||
      value_of(shape, "read_bytes") != written || written % (rows * (a + b)) != 0) {
    return std::nullopt;
  }
  NumberType type = shape.parameters.dtype;
  const std::int64_t width = written / (rows * (a + b));
  if (width != width_of(type)) {
    if (width != 4 && width != 1) return std::nullopt;
    type = width == 4 ? NumberType::kFp32 : NumberType::kFp8E4m3;
  }
  if (!has_arithmetic(type) && type != NumberType::kFp8E4m3) return std::nullopt;
  if (b == 0) return BenchForm{"copy", {.values = {{"read_bytes", written}}, .dtype = type}};
  return BenchForm{"cat",
                   {.values = {{"rows", rows}, {"a_columns", a}, {"b_columns", b}}, .dtype = type}};
}

/// What is written may be one number, or something else each time: random numbers, a range.
std::optional<BenchForm> fill_form(const TraceShape& shape) {
  if (shape.operator_name != "fill") return std::nullopt;
  const bool is_one_number = shape.op == "aten::fill_" || shape.op == "aten::zero_";
  return BenchForm{is_one_number ? "fill" : "generate", shape.parameters};
}

/// A copy to another size of numbers.
std::optional<BenchForm> cast_form(const TraceShape& shape) {
  if (shape.operator_name != "copy") return std::nullopt;
  const auto width = static_cast<std::int64_t>(bytes_of(shape.parameters.dtype));
  const std::int64_t read = value_of(shape, "read_bytes");
  const std::int64_t written = value_of(shape, "write_bytes");
  const bool floating =
      has_arithmetic(shape.parameters.dtype) || shape.parameters.dtype == NumberType::kFp8E4m3;
  if (!floating || width == 0 || written % width != 0 || written == 0) return std::nullopt;
  const std::int64_t elements = written / width;
  if (read == written || read % elements != 0) return std::nullopt;
  const std::int64_t from = read / elements;
  // Where the source has another kind of numbers, its name is in the label.
  const bool from_floats =
      shape.label.find("int") == std::string::npos && shape.label.find("bool") == std::string::npos;
  if (!from_floats || (from != 1 && from != 2 && from != 4)) return std::nullopt;
  return BenchForm{
      "cast",
      {.values = {{"elements", elements}, {"from_bytes", from}}, .dtype = shape.parameters.dtype}};
}

/// Decoding: every query sees the whole of its own sequence, and lengths are known as a sum. They
/// are taken to be the same. Prefill: one sequence, from its start.
std::optional<BenchForm> pages_form(const TraceShape& shape) {
  if (shape.operator_name != "attention_over_pages" || value_of(shape, "kv_bits") != 16) {
    return std::nullopt;
  }
  const std::int64_t queries = value_of(shape, "queries");
  const std::int64_t keys = value_of(shape, "keys");
  const std::int64_t pairs = value_of(shape, "pairs");
  if (queries < 1 || queries > keys || keys >= std::int64_t{1} << 31) return std::nullopt;
  const bool decode = pairs == keys;
  const bool prefill = !decode && queries == keys && pairs == queries * (queries + 1) / 2;
  if (!decode && !prefill) return std::nullopt;
  return BenchForm{"attention",
                   {.values = {{"batch", decode ? queries : 1},
                               {"heads", value_of(shape, "heads")},
                               {"kv_heads", value_of(shape, "kv_heads")},
                               {"head_dim", value_of(shape, "head_dim")},
                               {"head_dim_v", value_of(shape, "head_dim_v")},
                               {"q_len", decode ? 1 : queries},
                               {"kv_len", decode ? (keys + queries / 2) / queries : keys},
                               {"causal", prefill ? 1 : 0}},
                    .dtype = shape.parameters.dtype}};
}

}  // namespace

BenchForm bench_form(const TraceShape& shape) {
  for (const auto form :
       {elementwise_form, reduce_form, cast_form, cat_form, fill_form, pages_form}) {
    if (std::optional<BenchForm> found = form(shape)) return std::move(*found);
  }
  return {shape.operator_name, shape.parameters};
}

}  // namespace tactus
