#pragma once

#include "base/json.h"
#include "run/run.h"

namespace tactus {

/// Adds the fields that every document has: `dropped`, `repaired` and `warnings`.
void add_account(Json& document, const Run& run);

/// null if a value is unknown.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
/// null for an empty text.
Json text_or_null(std::string_view text);

/// The text of a document, ending in a newline.
std::string to_text(const Json& document);

}  // namespace tactus
