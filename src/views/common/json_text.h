#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tactus {

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

 private:
  JsonText& open(char bracket);
  JsonText& close(char bracket);
  void separate();

  std::string out_;
  bool first_ = true;  ///< nothing comes before it in the open object or array
};

}  // namespace tactus
