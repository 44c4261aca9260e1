#pragma once

#include "base/json.h"
#include "run/run.h"

namespace tactus {

/// Adds what every document carries: `dropped`, `repaired` and `warnings`.
void add_account(Json& document, const Run& run);

/// null where a value is not known.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
/// null for an empty text.
Json text_or_null(std::string_view text);

/// The text of a document, ending in a newline.
std::string to_text(const Json& document);

}  // namespace tactus
