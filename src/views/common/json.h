#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "run/run.h"

namespace tactus {

/// What was lost of runs, and what is to be said about them.
struct Account {
  Tally dropped;
  Tally repaired;
  std::vector<std::string> warnings;

  void add(const Run& run);
};

/// Adds the fields that every document has: `dropped`, `repaired` and `warnings`.
void add_account(Json& document, const Account& account);
void add_account(Json& document, const Run& run);
/// The same of several runs, added up.
void add_account(Json& document, std::span<const Run* const> runs);

/// null if a value is unknown.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
/// null for an empty text.
Json text_or_null(std::string_view text);

/// The text of a document, ending in a newline.
std::string to_text(const Json& document);

/// Writes JSON directly into a text, for documents of many numbers. The caller must close what it
/// opens and give members of objects a key.
class JsonText {
 public:
  JsonText& open_object() { return open('{'); }
  JsonText& close_object() { return close('}'); }
  JsonText& open_array() { return open('['); }
  JsonText& close_array() { return close(']'); }
  JsonText& key(std::string_view name);

  JsonText& text(std::string_view value);
  JsonText& text_or_null(std::string_view value);  ///< null for an empty one
  JsonText& number(double value);                  ///< null if it is not finite
  JsonText& number(const std::optional<double>& value);
  JsonText& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonText& null() { return raw("null"); }
  JsonText& raw(std::string_view json);  ///< already JSON

  std::string take() && { return std::move(out_); }
  /// Takes what was written so far, if it is long enough to be passed on.
  std::optional<std::string> take_part() {
    if (out_.size() < kPart) return std::nullopt;
    return std::exchange(out_, {});
  }

 private:
  static constexpr std::size_t kPart = 1 << 20;  // [bytes]

  JsonText& open(char bracket);
  JsonText& close(char bracket);
  void separate();
  void append_quoted(std::string_view text);

  std::string out_;
  bool first_ = true;  ///< nothing comes before it in the open object or array
};

}  // namespace tactus
