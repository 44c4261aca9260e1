#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace tactus {

// The only file that uses nlohmann-json: it takes 8 s to compile.

namespace {

/// Our documents stay far below; deeper ones would only use up the stack.
constexpr std::size_t kDeepest = 256;

void append_text(std::string_view text, std::string& out) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (is_plain) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  const nlohmann::json value = text;
  out += escaped_json(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

template <class T>
void append_number(T number, std::string& out) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

/// As short as possible, with ".0" after whole numbers so that they stay reals.
void append_real(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, 64> digits;
  out.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + 64, number));
}

}  // namespace

/// Builds a document from the events of the parser.
class JsonBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put(Json()); }
  bool boolean(bool value) override { return put(Json(value)); }
  bool number_integer(std::int64_t value) override { return put(Json(value)); }
  bool number_unsigned(std::uint64_t value) override { return put(Json(value)); }
  bool number_float(double value, const std::string&) override { return put(Json(value)); }
  bool string(std::string& value) override { return put(Json(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    keys_.back() = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

  Json take() { return std::move(root_); }

 private:
  bool open(Json container) {
    if (open_.size() >= kDeepest) return false;
    open_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return put(std::move(done));
  }
  bool put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* array = std::get_if<Json::Array>(&open_.back().value_)) {
      array->push_back(std::move(value));
    } else {
      std::get<Json::Object>(open_.back().value_)
          .emplace_back(std::move(keys_.back()), std::move(value));
    }
    return true;
  }

  Json root_;
  std::vector<Json> open_;
  std::vector<std::string> keys_;  ///< the next member's, one per open container
};

Json Json::parse(std::string_view text) {
  JsonBuilder builder;
  return nlohmann::json::sax_parse(text, &builder) ? builder.take() : discarded();
}

bool Json::is_valid(std::string_view text) {
  return nlohmann::json::accept(text);
}

Json::Json(std::initializer_list<Json> items) {
  bool is_object = true;
  for (const Json& item : items) {
    is_object = is_object && item.is_array() && item.size() == 2 && item.begin()->is_string();
  }
  if (!is_object) {
    value_ = Array(items);
    return;
  }
  Object object;
  object.reserve(items.size());
  for (const Json& item : items) {
    object.emplace_back(std::get<std::string>(item.begin()->value_), item.begin()[1]);
  }
  value_ = std::move(object);
}

void Json::fail(const std::string& what) {
  throw Error("JSON: " + what);
}

std::size_t Json::size() const {
  if (const auto* array = std::get_if<Array>(&value_)) return array->size();
  if (const auto* object = std::get_if<Object>(&value_)) return object->size();
  return is_null() ? 0 : 1;
}

const Json* Json::find(std::string_view key) const {
  // If a key occurs twice, the last one counts, as in other readers.
  // NOLINTNEXTLINE(modernize-loop-convert): there is no shorter form from the end
  for (auto member = items().rbegin(); member != items().rend(); ++member) {
    if (member->first == key) return &member->second;
  }
  return nullptr;
}

std::string Json::text_at(std::string_view key) const {
  const Json* found = find(key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> Json::number_at(std::string_view key) const {
  const Json* found = find(key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<double> Json::numbers_at(std::string_view key) const {
  std::vector<double> numbers;
  const Json* found = find(key);
  if (found == nullptr) return numbers;
  for (const Json& item : *found) {
    if (item.is_number() && std::isfinite(item.get<double>()))
      numbers.push_back(item.get<double>());
  }
  return numbers;
}

const Json& Json::at(std::string_view key) const {
  const Json* found = find(key);
  if (found == nullptr) fail("there is no " + std::string(key));
  return *found;
}

const Json& Json::at(std::size_t place) const {
  const auto* array = std::get_if<Array>(&value_);
  if (array == nullptr || place >= array->size()) {
    fail("there is no element " + std::to_string(place));
  }
  return (*array)[place];
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) fail("an object was expected");
  for (Member& member : *object) {
    if (member.first == key) return member.second;
  }
  return object->emplace_back(std::string(key), Json()).second;
}

void Json::push_back(Json item) {
  if (is_null()) value_ = Array();
  auto* array = std::get_if<Array>(&value_);
  if (array == nullptr) fail("a list was expected");
  array->push_back(std::move(item));
}

const Json* Json::begin() const {
  const auto* array = std::get_if<Array>(&value_);
  return array == nullptr ? nullptr : array->data();
}

const Json::Object& Json::items() const {
  static const Object kNone;
  const auto* object = std::get_if<Object>(&value_);
  return object == nullptr ? kNone : *object;
}

void Json::append_to(std::string& out) const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    append_text(*text, out);
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    out += *truth ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    append_number(*whole, out);
  } else if (const auto* natural = std::get_if<std::uint64_t>(&value_)) {
    append_number(*natural, out);
  } else if (const auto* real = std::get_if<double>(&value_)) {
    append_real(*real, out);
  } else if (const auto* array = std::get_if<Array>(&value_)) {
    out += '[';
    for (const Json& item : *array) {
      if (&item != array->data()) out += ',';
      item.append_to(out);
    }
    out += ']';
  } else if (const auto* object = std::get_if<Object>(&value_)) {
    out += '{';
    for (const Member& member : *object) {
      if (&member != object->data()) out += ',';
      append_text(member.first, out);
      out += ':';
      member.second.append_to(out);
    }
    out += '}';
  } else {
    out += "null";
  }
}

std::string Json::dump() const {
  std::string out;
  append_to(out);
  return out;
}

bool Json::operator==(const Json& other) const {
  if (is_number() && other.is_number() && value_.index() != other.value_.index()) {
    return get<double>() == other.get<double>();
  }
  return value_ == other.value_;
}

}  // namespace tactus
