#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/nsys/database/sqlite_database.h"

namespace tactus::nsys {

/// The tables and columns that a database has. Nsight Systems writes a table only if it has rows
/// for it, and its columns differ between versions.
class Schema {
 public:
  explicit Schema(const SqliteDatabase& database);

  bool has(std::string_view table) const { return tables_.contains(table); }
  bool has(std::string_view table, std::string_view column) const;
  /// True if the column is the table's whole primary key, so look-ups are fast.
  bool is_key(std::string_view table, std::string_view column) const;
  /// False for a table made WITHOUT ROWID.
  bool has_rowid(std::string_view table) const;
  std::vector<std::string> tables() const;

  /// SELECT of those columns; NULL replaces columns that the table does not have.
  std::string select(std::string_view table, std::span<const std::string_view> columns) const;

 private:
  struct Table {
    std::vector<std::string> columns;
    std::vector<std::string> key;
    bool has_rowid = false;
  };
  const Table* find(std::string_view table) const;

  std::map<std::string, Table, std::less<>> tables_;
};

}  // namespace tactus::nsys
