#include "sources/nsys/database/schema.h"

#include <algorithm>

namespace tactus::nsys {

Schema::Schema(const SqliteDatabase& database) {
  Result<SqliteStatement> names =
      database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'");
  Result<SqliteStatement> columns = database.prepare("SELECT name, pk FROM pragma_table_info(?)");
  if (!names || !columns) return;
  while (names->next()) {
    const std::string name(names->text(0));
    if (name.starts_with("sqlite_")) continue;
    Table table;
    columns->restart_with(name);
    while (columns->next()) {
      table.columns.emplace_back(columns->text(0));
      if (columns->integer(1) != 0) table.key.emplace_back(columns->text(0));
    }
    // A damaged schema may still have names of unknown tables.
    if (table.columns.empty()) continue;
    table.has_rowid = static_cast<bool>(database.prepare("SELECT rowid FROM " + sql_name(name)));
    tables_.emplace(name, std::move(table));
  }
}

const Schema::Table* Schema::find(std::string_view table) const {
  const auto at = tables_.find(table);
  return at == tables_.end() ? nullptr : &at->second;
}

bool Schema::has(std::string_view table, std::string_view column) const {
  const Table* found = find(table);
  return found != nullptr &&
         std::find(found->columns.begin(), found->columns.end(), column) != found->columns.end();
}

bool Schema::is_key(std::string_view table, std::string_view column) const {
  const Table* found = find(table);
  return found != nullptr && found->key.size() == 1 && found->key.front() == column;
}

bool Schema::has_rowid(std::string_view table) const {
  const Table* found = find(table);
  return found != nullptr && found->has_rowid;
}

std::vector<std::string> Schema::tables() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

std::string Schema::select(std::string_view table,
                           std::span<const std::string_view> columns) const {
  std::string sql;
  for (const std::string_view column : columns) {
    sql += sql.empty() ? "SELECT " : ", ";
    sql += has(table, column) ? sql_name(column) : "NULL";
  }
  return sql + " FROM " + sql_name(table);
}

}  // namespace tactus::nsys
