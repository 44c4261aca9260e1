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

struct ElementwiseForm {
  std::string_view op;  ///< without the "_" of ops in place
  std::string_view operator_name;
  std::int64_t inputs;
};

constexpr std::array kElementwise = {
    ElementwiseForm{"aten::add", "add", 2}, ElementwiseForm{"aten::mul", "mul", 2},
    ElementwiseForm{"aten::silu", "silu", 1}, ElementwiseForm{"aten::gelu", "gelu", 1}};

/// Only if all tensors have the same size and type: a broadcast is another kernel.
std::optional<BenchForm> elementwise_form(const TraceShape& shape) {
  if (shape.operator_name != "elementwise" || !has_arithmetic(shape.parameters.dtype)) {
    return std::nullopt;
  }
  std::string_view op = shape.op;
  if (op.ends_with('_')) op.remove_suffix(1);
  const auto width = static_cast<std::int64_t>(bytes_of(shape.parameters.dtype));
  const std::int64_t written = value_of(shape, "write_bytes");
  for (const ElementwiseForm& form : kElementwise) {
    if (op != form.op || written <= 0 || written % width != 0) continue;
    if (value_of(shape, "read_bytes") != form.inputs * written) continue;
    if (value_of(shape, "flops") != written / width) continue;
    return BenchForm{std::string(form.operator_name),
                     {.values = {{"elements", written / width}}, .dtype = shape.parameters.dtype}};
  }
  return std::nullopt;
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
  for (const auto form : {elementwise_form, cast_form, pages_form}) {
    if (std::optional<BenchForm> found = form(shape)) return std::move(*found);
  }
  return {shape.operator_name, shape.parameters};
}

}  // namespace tactus
