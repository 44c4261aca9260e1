#include "sources/nsys/database/rows.h"

#include <algorithm>

namespace tactus::nsys {
namespace {

/// Keeps SQLite from using an index instead of the table.
constexpr std::string_view kAsTheyLie = " NOT INDEXED";

enum class Sorting : std::uint8_t { kSorted, kNotSorted, kUnreadable };

/// Checks whether a table is sorted. Exports nearly always are, and checking is several times as
/// fast as letting SQLite sort whole rows.
Sorting sorting_of(const Tables& tables, std::string_view table,
                   std::span<const std::string_view> order) {
  const std::string sql = tables.schema.select(table, order) + std::string(kAsTheyLie);
  Result<SqliteStatement> rows = tables.database.prepare(sql);
  if (!rows) return Sorting::kUnreadable;
  std::vector<std::int64_t> last;
  std::vector<std::int64_t> now(order.size());
  Sorting found = Sorting::kSorted;
  while (rows->next()) {
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = rows->integer(static_cast<int>(i));
    if (now[0] == 0 && rows->is_null(0)) continue;
    if (now < last) found = Sorting::kNotSorted;
    last = now;
  }
  return rows->status() ? found : Sorting::kUnreadable;
}

std::string order_by(const Tables& tables, std::string_view table,
                     std::span<const std::string_view> order) {
  std::string sql;
  for (const std::string_view column : order) {
    if (!tables.schema.has(table, column)) continue;
    sql += (sql.empty() ? " ORDER BY " : ", ") + sql_name(column);
  }
  if (!sql.empty() && tables.schema.has_rowid(table)) sql += ", rowid";
  return sql;
}

}  // namespace

void RowProgress::update() {
  progress_.update("reading", done_, std::max(done_, total_));
}

void RowProgress::finish() {
  total_ = done_;
  update();
}

void Damage::note(std::string_view table, const Error& error) {
  if (message.empty()) message = error.message;
  if (std::find(tables.begin(), tables.end(), table) == tables.end()) tables.emplace_back(table);
}

TableRows::TableRows(Tables& tables, std::string_view table,
                     std::span<const std::string_view> columns,
                     std::initializer_list<std::string_view> order)
    : tables_(tables), table_(table) {
  if (!tables.schema.has(table)) return;
  const std::span<const std::string_view> wanted(order.begin(), order.size());
  std::string sql = tables.schema.select(table, columns);
  // A damaged table is not sorted: SQLite would have to reach its end before it returns a row.
  if (!wanted.empty() && sorting_of(tables, table, wanted) == Sorting::kNotSorted) {
    sql += order_by(tables, table, wanted);
  } else {
    sql += kAsTheyLie;
  }
  Result<SqliteStatement> statement = tables.database.prepare(sql);
  if (statement) {
    statement_ = std::move(*statement);
  } else {
    tables.damage.note(table, statement.error());
  }
}

bool TableRows::next() {
  if (!statement_) return false;
  if (statement_->next()) {
    tables_.progress.step();
    return true;
  }
  if (!statement_->status()) tables_.damage.note(table_, statement_->status().error());
  statement_.reset();
  return false;
}

std::uint64_t expected_rows(const SqliteDatabase& database, const Schema& schema,
                            std::string_view table) {
  if (!schema.has_rowid(table)) return 0;
  Result<SqliteStatement> last = database.prepare("SELECT max(rowid) FROM " + sql_name(table));
  if (!last || !last->next()) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, last->integer(0)));
}

}  // namespace tactus::nsys
