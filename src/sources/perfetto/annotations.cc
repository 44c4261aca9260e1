#include "sources/perfetto/annotations.h"

#include <charconv>

#include "base/json.h"
#include "run/args/arg_json.h"
#include "sources/kineto/json_scan.h"
#include "sources/perfetto/wire.h"

namespace tactus::perfetto {
namespace {

constexpr std::size_t kMostShapes = 20'000;  // as for Chrome traces
constexpr int kDeepest = 32;                 // annotations inside of annotations

/// 0x7f00deadbeef
std::string pointer_text(std::uint64_t pointer) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), pointer, 16).ptr;
  return "0x" + std::string(digits, end);
}

}  // namespace

/// The fields of an annotation that say something.
struct Annotations::Parts {
  StringId key = StringId(0);
  Field value;
  std::vector<std::string_view> items;  ///< of a dictionary or list
  bool is_dictionary = false;
};

Annotations::Parts Annotations::parts_of(std::string_view bytes, const Sequence& sequence) const {
  Parts parts;
  Message message(bytes);
  for (Field field; message.next(field);) {
    switch (field.number) {
      case annotation::kNameIid:
        parts.key = sequence.text(Sequence::kKey, field.value).value_or(StringId(0));
        break;
      case annotation::kName:
        if (field.is_bytes) parts.key = builder_.intern_repaired(field.bytes);
        break;
      case annotation::kDictEntries:
      case annotation::kArrayValues:
        if (!field.is_bytes) break;
        parts.is_dictionary = field.number == annotation::kDictEntries;
        parts.items.push_back(field.bytes);
        break;
      case annotation::kBool:
      case annotation::kUint:
      case annotation::kInt:
      case annotation::kDouble:
      case annotation::kPointer:
      case annotation::kStringIid:
        if (!field.is_bytes) parts.value = field;
        break;
      case annotation::kString:
      case annotation::kJson:
        if (field.is_bytes) parts.value = field;
        break;
      default: break;
    }
  }
  return parts;
}

/// Tactus writes the stack of an event as a list of texts under a key with '@'.
std::optional<Value> Annotations::stack_of(const Parts& parts, const Sequence& sequence) {
  if (builder_.run().strings[parts.key] != "@sf") return std::nullopt;
  std::vector<StringId> frames;
  for (const std::string_view item : parts.items) {
    const Parts frame = parts_of(item, sequence);
    if (frame.value.number != annotation::kStringIid) return std::nullopt;
    const auto text = sequence.text(Sequence::kValue, frame.value.value);
    if (!text) return std::nullopt;
    frames.push_back(*text);
  }
  std::int64_t stack = -1;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    stack = builder_.stack(stack, *frame).value;
  }
  return Value{ValueType::kStack, stack};
}

Value Annotations::value_of(const Parts& parts, const Sequence& sequence) {
  if (!parts.items.empty()) {
    if (const std::optional<Value> stack = stack_of(parts, sequence)) return *stack;
    std::string json;
    append_json(json, parts, sequence, 0);
    return {ValueType::kJson, builder_.intern(json).value};
  }
  StringPool& strings = builder_.run().strings;
  switch (parts.value.number) {
    case annotation::kBool: return {ValueType::kBool, parts.value.value != 0 ? 1 : 0};
    case annotation::kUint:
      if (parts.value.value > INT64_MAX) {
        return {ValueType::kDecimal,
                Decimal::from_text(std::to_string(parts.value.value), strings)};
      }
      return {ValueType::kInt, parts.value.as_signed()};
    case annotation::kInt: return {ValueType::kInt, parts.value.as_signed()};
    case annotation::kDouble:
      return {ValueType::kDecimal, Decimal::from_double(parts.value.as_double(), strings)};
    case annotation::kString:
      return {ValueType::kText, builder_.intern_repaired(parts.value.bytes).value};
    case annotation::kPointer:
      return {ValueType::kText, builder_.intern(pointer_text(parts.value.value)).value};
    case annotation::kStringIid:
      return {ValueType::kText,
              sequence.text(Sequence::kValue, parts.value.value).value_or(StringId(0)).value};
    case annotation::kJson: {
      if (const auto compact = kineto::compact_json(parts.value.bytes)) {
        return {ValueType::kJson, builder_.intern(*compact).value};
      }
      return {ValueType::kText, builder_.intern_repaired(parts.value.bytes).value};
    }
    default: return {ValueType::kNull, 0};
  }
}

void Annotations::append_json(std::string& json, const Parts& parts, const Sequence& sequence,
                              int depth) {
  if (parts.items.empty() || depth >= kDeepest) {
    append_json_value(json, builder_.run().strings,
                      parts.items.empty() ? value_of(parts, sequence) : Value{});
    return;
  }
  json.push_back(parts.is_dictionary ? '{' : '[');
  for (std::size_t i = 0; i < parts.items.size(); ++i) {
    if (i != 0) json.push_back(',');
    const Parts item = parts_of(parts.items[i], sequence);
    if (parts.is_dictionary) {
      append_json_string(json, builder_.run().strings[item.key]);
      json.push_back(':');
    }
    append_json(json, item, sequence, depth + 1);
  }
  json.push_back(parts.is_dictionary ? '}' : ']');
}

void Annotations::add(std::string_view bytes, const Sequence& sequence) {
  const Parts parts = parts_of(bytes, sequence);
  const Value value = value_of(parts, sequence);
  shape_.push_back({parts.key, value.type});
  values_.push_back(value.raw);
}

void Annotations::add(std::string_view key, Value value) {
  shape_.push_back({builder_.intern(key), value.type});
  values_.push_back(value.raw);
}

ShapeId Annotations::shape() {
  if (shape_.empty()) return ShapeId(0);
  if (shape_ == last_shape_) return last_id_;
  const bool is_one_text =
      builder_.run().shapes.size() >= kMostShapes && !builder_.has_shape(shape_);
  if (is_one_text) {
    std::string json = "{";
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      if (i != 0) json.push_back(',');
      append_json_string(json, builder_.run().strings[shape_[i].key]);
      json.push_back(':');
      append_json_value(json, builder_.run().strings, {shape_[i].type, values_[i]});
    }
    json.push_back('}');
    shape_ = {{builder_.intern("@json"), ValueType::kJson}};
    values_ = {builder_.intern(json).value};
  }
  last_shape_ = shape_;
  last_id_ = builder_.shape(shape_);
  return last_id_;
}

}  // namespace tactus::perfetto
