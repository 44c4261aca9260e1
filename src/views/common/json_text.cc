#include <fmt/format.h>

#include <cmath>

#include "base/printable.h"
#include "run/args/arg_json.h"
#include "views/common/json.h"

namespace tactus {

void JsonText::separate() {
  if (!first_) out_.push_back(',');
  first_ = false;
}

JsonText& JsonText::open(char bracket) {
  separate();
  out_.push_back(bracket);
  first_ = true;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  out_.push_back(bracket);
  first_ = false;
  return *this;
}

void JsonText::append_quoted(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  out_ += escaped_json(std::move(quoted));
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  append_quoted(name);
  out_.push_back(':');
  first_ = true;
  return *this;
}

JsonText& JsonText::raw(std::string_view json) {
  separate();
  out_.append(json);
  return *this;
}

JsonText& JsonText::text(std::string_view value) {
  separate();
  append_quoted(value);
  return *this;
}

JsonText& JsonText::text_or_null(std::string_view value) {
  return value.empty() ? null() : text(value);
}

JsonText& JsonText::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

JsonText& JsonText::number(const std::optional<double>& value) {
  return value ? number(*value) : null();
}

}  // namespace tactus
