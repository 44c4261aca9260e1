#include "sources/nsys/database/sqlite_database.h"

#include <sqlite3.h>

namespace tactus::nsys {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

bool may_stand_in_uri(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' ||
         c == '.' || c == '-' || c == '_';
}

/// `immutable` keeps SQLite from locking and from looking for journals, so read-only folders work.
std::string uri_of(const std::string& path) {
  // "//" gives an empty host, "./" keeps a name such as ":memory:" from being special.
  std::string uri = path.starts_with('/') ? "file://" : "file:./";
  for (const char c : path) {
    if (may_stand_in_uri(c)) {
      uri.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri.push_back('%');
    uri.push_back(kHexDigits[byte >> 4]);
    uri.push_back(kHexDigits[byte & 15]);
  }
  return uri + "?immutable=1";
}

}  // namespace

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  return out + '"';
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void SqliteStatement::restart() {
  sqlite3_reset(statement_.get());
  status_ = {};
}

void SqliteStatement::restart_with(std::int64_t parameter) {
  restart();
  sqlite3_bind_int64(statement_.get(), 1, parameter);
}

void SqliteStatement::restart_with(std::string_view parameter) {
  restart();
  sqlite3_bind_text64(statement_.get(), 1, parameter.data(), parameter.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
}

bool SqliteStatement::next() {
  const int outcome = sqlite3_step(statement_.get());
  if (outcome == SQLITE_ROW) return true;
  if (outcome != SQLITE_DONE) {
    status_ = input_error(sqlite3_errmsg(sqlite3_db_handle(statement_.get())));
  }
  return false;
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool SqliteStatement::is_integer(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double SqliteStatement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view SqliteStatement::text(int column) const {
  const void* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

void SqliteDatabase::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}

Result<SqliteDatabase> SqliteDatabase::open(const std::string& path, std::uint64_t bytes) {
  sqlite3* connection = nullptr;
  const int outcome =
      sqlite3_open_v2(uri_of(path).c_str(), &connection,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteDatabase database(connection);
  if (outcome != SQLITE_OK) {
    return input_error(connection == nullptr ? "out of memory" : sqlite3_errmsg(connection));
  }
  // The file may come from anywhere: its schema must not run functions, and pages are checked
  // before use.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (Status listed = database.run("SELECT count(*) FROM sqlite_master"); !listed) {
    if (sqlite3_errcode(connection) != SQLITE_CORRUPT) return listed.error();
    // A truncated file is shorter than its header says. SQLite refuses it unless the schema counts
    // as under repair. The file still cannot be written.
    if (Status set = database.run("PRAGMA writable_schema = ON"); !set) return set.error();
    database.problem_ = listed.error().message + ", tables may be missing";
  }
  // SQLite silently reads the missing part of a page as zeros.
  if (database.problem_.empty() && bytes % database.page_bytes() != 0) {
    database.problem_ = "its last page is incomplete";
  }
  for (const char* setting : {"PRAGMA cell_size_check = ON", "PRAGMA cache_size = -65536"}) {
    if (Status set = database.run(setting); !set) return set.error();
  }
  return database;
}

std::uint64_t SqliteDatabase::page_bytes() const {
  Result<SqliteStatement> size = prepare("PRAGMA page_size");
  if (!size || !size->next() || size->integer(0) <= 0) return 1;
  return static_cast<std::uint64_t>(size->integer(0));
}

Result<SqliteStatement> SqliteDatabase::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int outcome = sqlite3_prepare_v2(connection_.get(), sql.c_str(),
                                         static_cast<int>(sql.size() + 1), &statement, nullptr);
  if (outcome != SQLITE_OK) return input_error(sqlite3_errmsg(connection_.get()));
  return SqliteStatement(statement);
}

Status SqliteDatabase::run(const std::string& sql) const {
  Result<SqliteStatement> statement = prepare(sql);
  if (!statement) return statement.error();
  while (statement->next()) {
  }
  return statement->status();
}

}  // namespace tactus::nsys
