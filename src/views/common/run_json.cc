#include "views/common/json.h"

namespace tactus {

void add_account(Json& document, const Run& run) {
  const Run* const one = &run;
  add_account(document, std::span(&one, 1));
}

void Account::add(const Run& run) {
  for (const auto& [reason, count] : run.dropped) dropped[reason] += count;
  for (const auto& [reason, count] : run.repaired) repaired[reason] += count;
  warnings.insert(warnings.end(), run.warnings.begin(), run.warnings.end());
}

void add_account(Json& document, std::span<const Run* const> runs) {
  Account account;
  for (const Run* run : runs) account.add(*run);
  add_account(document, account);
}

void add_account(Json& document, const Account& account) {
  document["dropped"] = account.dropped;
  document["repaired"] = account.repaired;
  document["warnings"] = account.warnings;
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string to_text(const Json& document) {
  return document.dump() + "\n";
}

}  // namespace tactus
