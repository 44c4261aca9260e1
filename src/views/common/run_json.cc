#include "views/common/json.h"

namespace tactus {

void add_account(Json& document, const Run& run) {
  document["dropped"] = Json::object();
  for (const auto& [reason, count] : run.dropped) document["dropped"][reason] = count;
  document["repaired"] = Json::object();
  for (const auto& [reason, count] : run.repaired) document["repaired"][reason] = count;
  document["warnings"] = run.warnings;
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string to_text(const Json& document) {
  return document.dump() + "\n";
}

}  // namespace tactus
