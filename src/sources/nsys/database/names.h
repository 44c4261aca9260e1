#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "run/builder.h"
#include "sources/nsys/database/rows.h"

namespace tactus::nsys {

/// The texts of table StringIds, which the columns of other tables refer to by number.
class NameTable {
 public:
  NameTable(Tables& tables, RunBuilder& builder);

  /// The text with that number in the run; not valid if there is none.
  StringId find(std::int64_t number) {
    const auto [at, is_new] = known_.try_emplace(number);
    if (is_new) at->second = look_up(number);
    return at->second;
  }
  /// The text that a row's column refers to; not valid for NULL.
  StringId find(const TableRows& rows, int column) {
    const std::optional<std::int64_t> number = rows.number(column);
    return number ? find(*number) : StringId();
  }

 private:
  StringId look_up(std::int64_t number);

  Tables& tables_;
  RunBuilder& builder_;
  std::optional<SqliteStatement> lookup_;
  std::unordered_map<std::int64_t, StringId> known_;
};

/// The labels of an ENUM_ table: (id, name, label).
class EnumLabels {
 public:
  EnumLabels(Tables& tables, std::string_view table);

  /// Empty if the database has none.
  std::string_view find(std::int64_t number) const;

 private:
  std::map<std::int64_t, std::string> labels_;
};

}  // namespace tactus::nsys
