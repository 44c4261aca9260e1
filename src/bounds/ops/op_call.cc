#include "bounds/ops/op_call.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace tactus {
namespace {

Json parse(std::string_view text) {
  return Json::parse(text);
}

std::optional<std::vector<std::int64_t>> read_numbers(const Json& list) {
  if (!list.is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Json& number : list) {
    if (!number.is_number_integer()) return std::nullopt;
    numbers.push_back(number.get<std::int64_t>());
  }
  return numbers;
}

std::optional<TensorArgument> read_tensor(const Json& dims, const Json& strides,
                                          std::string_view type) {
  std::optional<std::vector<std::int64_t>> sizes = read_numbers(dims);
  if (!sizes) return std::nullopt;
  if (std::any_of(sizes->begin(), sizes->end(), [](std::int64_t size) { return size < 0; })) {
    return std::nullopt;
  }
  TensorArgument tensor;
  tensor.dims = std::move(*sizes);
  tensor.type = type_of_pytorch(type);
  std::optional<std::vector<std::int64_t>> steps = read_numbers(strides);
  if (steps && steps->size() == tensor.dims.size()) tensor.strides = std::move(*steps);
  return tensor;
}

const Json& at(const Json& list, std::size_t place) {
  static const Json kNothing;
  return list.is_array() && place < list.size() ? list[place] : kNothing;
}

/// A list of tensors is a list of their dims; its type is only "TensorList".
bool is_tensor_list(const Json& dims, std::string_view type) {
  return type == "TensorList" || (dims.is_array() && !dims.empty() && dims[0].is_array());
}

std::optional<OpArgument> read_argument(const Json& dims, const Json& strides,
                                        std::string_view type, const Json& concrete) {
  OpArgument argument;
  if (concrete.is_string()) argument.value = concrete.get<std::string>();
  if (is_tensor_list(dims, type)) {
    argument.is_list = true;
    for (std::size_t i = 0; dims.is_array() && i < dims.size(); ++i) {
      std::optional<TensorArgument> tensor = read_tensor(dims[i], at(strides, i), type);
      if (!tensor) return std::nullopt;
      argument.tensors.push_back(std::move(*tensor));
    }
    return argument;
  }
  const bool is_tensor =
      type_of_pytorch(type).has_value() || (dims.is_array() && !dims.empty() && !type.empty());
  if (!is_tensor) return argument;
  std::optional<TensorArgument> tensor = read_tensor(dims, strides, type);
  if (!tensor) return std::nullopt;
  argument.tensors.push_back(std::move(*tensor));
  return argument;
}

}  // namespace

double element_count(std::span<const std::int64_t> dims) {
  double count = 1;
  for (const std::int64_t size : dims) count *= static_cast<double>(size);
  return count;
}

double TensorArgument::elements() const {
  return element_count(dims);
}

double TensorArgument::stored_elements() const {
  if (strides.size() != dims.size()) return elements();
  double distinct = 1;
  double span = 1;  // from the first element to the last; overlapping windows have no more
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return 0;
    if (strides[i] != 0) distinct *= static_cast<double>(dims[i]);
    span += static_cast<double>(dims[i] - 1) * std::abs(static_cast<double>(strides[i]));
  }
  return std::min(distinct, span);
}

std::optional<double> TensorArgument::stored_bytes() const {
  if (!type) return std::nullopt;
  return stored_elements() * bytes_of(*type);
}

const TensorArgument* OpCall::tensor(std::size_t place) const {
  if (place >= arguments.size() || !arguments[place].is_tensor()) return nullptr;
  return &arguments[place].tensors.front();
}

std::string_view OpCall::value(std::size_t place) const {
  return place < arguments.size() ? std::string_view(arguments[place].value) : std::string_view();
}

std::vector<const TensorArgument*> OpCall::tensors() const {
  std::vector<const TensorArgument*> found;
  for (const OpArgument& argument : arguments) {
    if (argument.is_tensor()) found.push_back(&argument.tensors.front());
  }
  return found;
}

std::optional<OpCall> read_op_call(std::string_view name, const OpCallTexts& texts) {
  const Json dims = parse(texts.dims);
  const Json types = parse(texts.types);
  if (!dims.is_array() || !types.is_array() || dims.size() != types.size()) return std::nullopt;
  const Json strides = parse(texts.strides);
  const Json concrete = parse(texts.concrete);
  OpCall call;
  call.name = name;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::string type = types[i].is_string() ? types[i].get<std::string>() : std::string();
    std::optional<OpArgument> argument =
        read_argument(dims[i], at(strides, i), type, at(concrete, i));
    if (!argument) return std::nullopt;
    call.arguments.push_back(std::move(*argument));
  }
  return call;
}

bool wants_inner_ops(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  const std::string_view base = colon == std::string_view::npos ? name : name.substr(colon + 2);
  return base.starts_with("moe_forward") || base.starts_with("unified_attention");
}

std::optional<TensorArgument> allocated_tensor(const OpCall& call) {
  // c10::ScalarType; the numbers are part of PyTorch's file format
  static constexpr std::pair<std::string_view, NumberType> kCodes[] = {
      {"0", NumberType::kInt8},     {"1", NumberType::kInt8},         {"2", NumberType::kInt16},
      {"3", NumberType::kInt32},    {"4", NumberType::kInt64},        {"5", NumberType::kFp16},
      {"6", NumberType::kFp32},     {"7", NumberType::kFp64},         {"11", NumberType::kBool},
      {"15", NumberType::kBf16},    {"23", NumberType::kFp8E5m2},     {"24", NumberType::kFp8E4m3},
      {"25", NumberType::kFp8E5m2}, {"26", NumberType::kFp8E4m3Fnuz},
  };
  const bool strided = call.name == "aten::empty_strided";
  if (call.name != "aten::empty" && !strided) return std::nullopt;
  const std::optional<std::vector<std::int64_t>> sizes = read_numbers(parse(call.value(0)));
  if (!sizes) return std::nullopt;
  TensorArgument tensor;
  tensor.dims = *sizes;
  if (std::any_of(sizes->begin(), sizes->end(), [](std::int64_t size) { return size < 0; })) {
    return std::nullopt;
  }
  for (const auto& [code, type] : kCodes) {
    if (call.value(strided ? 2 : 1) == code) tensor.type = type;
  }
  return tensor;
}

std::optional<NumberType> type_of_pytorch(std::string_view name) {
  static constexpr std::pair<std::string_view, NumberType> kTypes[] = {
      {"c10::BFloat16", NumberType::kBf16},
      {"float", NumberType::kFp32},
      {"long int", NumberType::kInt64},
      {"long", NumberType::kInt64},
      {"c10::Half", NumberType::kFp16},
      {"bool", NumberType::kBool},
      {"int", NumberType::kInt32},
      {"double", NumberType::kFp64},
      {"unsigned char", NumberType::kInt8},
      {"signed char", NumberType::kInt8},
      {"short int", NumberType::kInt16},
      {"short", NumberType::kInt16},
      {"c10::Float8_e4m3fn", NumberType::kFp8E4m3},
      {"c10::Float8_e4m3fnuz", NumberType::kFp8E4m3Fnuz},
      {"c10::Float8_e5m2", NumberType::kFp8E5m2},
      {"c10::Float8_e5m2fnuz", NumberType::kFp8E5m2},
  };
  for (const auto& [text, type] : kTypes) {
    if (text == name) return type;
  }
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> broadcast(std::span<const TensorArgument* const> tensors) {
  std::vector<std::int64_t> dims;  // innermost first
  for (const TensorArgument* tensor : tensors) {
    for (std::size_t i = 0; i < tensor->dims.size(); ++i) {
      const std::int64_t size = tensor->dims[tensor->dims.size() - 1 - i];
      if (i == dims.size()) dims.push_back(1);
      if (size == 1 || size == dims[i]) continue;
      if (dims[i] != 1) return std::nullopt;
      dims[i] = size;
    }
  }
  std::reverse(dims.begin(), dims.end());
  return dims;
}

}  // namespace tactus
