#include "views/common/json.h"

namespace tactus {

void add_account(Json& document, const Run& run) {
  const Run* const one = &run;
  add_account(document, std::span(&one, 1));
}

void add_account(Json& document, std::span<const Run* const> runs) {
  Tally dropped;
  Tally repaired;
  std::vector<std::string> warnings;
  for (const Run* run : runs) {
    for (const auto& [reason, count] : run->dropped) dropped[reason] += count;
    for (const auto& [reason, count] : run->repaired) repaired[reason] += count;
    warnings.insert(warnings.end(), run->warnings.begin(), run->warnings.end());
  }
  document["dropped"] = dropped;
  document["repaired"] = repaired;
  document["warnings"] = warnings;
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string to_text(const Json& document) {
  return document.dump() + "\n";
}

}  // namespace tactus
