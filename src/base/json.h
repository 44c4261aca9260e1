#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tactus {

/// A JSON document: members of objects keep their order, whole numbers keep all their digits. For
/// small documents only; traces have their own reader, and large outputs use JsonText.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  /// `at` and `get` throw this if a document does not have the expected form.
  struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  Json() = default;
  Json(std::nullptr_t) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(const char* text) : value_(std::string(text)) {}
  template <class T>
  requires std::is_arithmetic_v<T> Json(T number) : value_(widened(number)) {}
  template <class T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }
  template <class T>
  Json(const std::vector<T>& items) : value_(Array(items.begin(), items.end())) {}
  template <class T, std::size_t kSize>
  Json(const std::array<T, kSize>& items) : value_(Array(items.begin(), items.end())) {}
  template <class T, class Order>
  Json(const std::map<std::string, T, Order>& members);
  /// {{"key", value}, ...} is an object, anything else a list.
  Json(std::initializer_list<Json> items);

  static Json array() { return with(Array()); }
  static Json array(std::initializer_list<Json> items) { return with(Array(items)); }
  static Json object() { return with(Object()); }

  /// Text that is not JSON, or is nested too deeply, gives a discarded document.
  static Json parse(std::string_view text);
  static bool is_valid(std::string_view text);

  bool is_discarded() const { return is<Discarded>(); }
  bool is_null() const { return is<std::monostate>(); }
  bool is_boolean() const { return is<bool>(); }
  bool is_string() const { return is<std::string>(); }
  bool is_array() const { return is<Array>(); }
  bool is_object() const { return is<Object>(); }
  bool is_number_float() const { return is<double>(); }
  bool is_number_unsigned() const { return is<std::uint64_t>(); }
  bool is_number_integer() const { return is<std::int64_t>() || is<std::uint64_t>(); }
  bool is_number() const { return is_number_integer() || is_number_float(); }

  /// The value as a T; throws Error if it is of another kind. Numbers are converted.
  template <class T>
  T get() const;

  std::size_t size() const;  ///< of a list or an object; 0 of null, else 1
  bool empty() const { return size() == 0; }

  /// The member or element; throws Error if there is none.
  const Json& at(std::string_view key) const;
  const Json& at(std::size_t place) const;
  /// The member, null if there is none.
  const Json* find(std::string_view key) const;
  /// The member if it is a text; empty otherwise.
  std::string text_at(std::string_view key) const;
  /// The member if it is a finite number; nothing otherwise.
  std::optional<double> number_at(std::string_view key) const;
  /// The finite numbers of the member if it is a list; none otherwise.
  std::vector<double> numbers_at(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  /// The member, which must be there.
  const Json& operator[](std::string_view key) const { return at(key); }
  const Json& operator[](const char* key) const { return at(std::string_view(key)); }
  const Json& operator[](std::size_t place) const { return at(place); }
  const Json& operator[](int place) const { return at(static_cast<std::size_t>(place)); }
  /// The member, added if there is none; null becomes an object.
  Json& operator[](std::string_view key);
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }

  /// Null becomes a list.
  void push_back(Json item);

  /// The elements of a list; none of anything else.
  const Json* begin() const;
  const Json* end() const { return begin() + (is_array() ? size() : 0); }
  const Json& front() const { return at(std::size_t{0}); }
  /// The members of an object; none of anything else.
  const Object& items() const;

  /// The text on one line. Bytes that are not UTF-8 are replaced; infinities are null.
  std::string dump() const;

  bool operator==(const Json& other) const;

 private:
  struct Discarded {
    bool operator==(const Discarded&) const = default;
  };
  using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object, Discarded>;

  template <class T>
  static auto widened(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      return number;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(number);
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<std::int64_t>(number);
    } else {
      return static_cast<std::uint64_t>(number);
    }
  }

  template <class T>
  static Json with(T value) {
    Json json;
    json.value_ = std::move(value);
    return json;
  }
  static Json discarded() { return with(Discarded{}); }

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(value_);
  }
  template <class T>
  T number() const;
  [[noreturn]] static void fail(const std::string& what);
  void append_to(std::string& out) const;

  friend class JsonBuilder;

  Value value_;
};

template <class T, class Order>
Json::Json(const std::map<std::string, T, Order>& members) : value_(Object()) {
  auto& object = std::get<Object>(value_);
  for (const auto& [key, value] : members) object.emplace_back(key, Json(value));
}

template <class T>
T Json::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<T>(*whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&value_)) return static_cast<T>(*whole);
  if (const auto* real = std::get_if<double>(&value_)) {
    // A number that does not fit 64 bits becomes 0.
    if constexpr (std::is_integral_v<T>) {
      if (!(*real >= -9.2e18 && *real <= 9.2e18)) return 0;
      return static_cast<T>(static_cast<std::int64_t>(*real));
    }
    return static_cast<T>(*real);
  }
  fail("a number was expected");
}

template <class T>
struct JsonGetter;  ///< of lists and maps

template <class T>
T Json::get() const {
  if constexpr (std::is_same_v<T, bool>) {
    if (const bool* truth = std::get_if<bool>(&value_)) return *truth;
    fail("true or false was expected");
  } else if constexpr (std::is_arithmetic_v<T>) {
    return number<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (const auto* text = std::get_if<std::string>(&value_)) return *text;
    fail("a string was expected");
  } else {
    return JsonGetter<T>::get(*this);
  }
}

template <class T>
struct JsonGetter<std::vector<T>> {
  static std::vector<T> get(const Json& json) {
    std::vector<T> items;
    for (const Json& item : json) items.push_back(item.get<T>());
    return items;
  }
};

template <class T, class Order>
struct JsonGetter<std::map<std::string, T, Order>> {
  static std::map<std::string, T, Order> get(const Json& json) {
    std::map<std::string, T, Order> members;
    for (const auto& [key, value] : json.items()) members[key] = value.template get<T>();
    return members;
  }
};

}  // namespace tactus
