#include "sources/nsys/database/sqlite_database.h"

#include <sqlite3.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/file.h"

namespace tactus::nsys {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

bool may_stand_in_uri(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' ||
         c == '.' || c == '-' || c == '_';
}

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
  return uri;
}

/// "report.sqlite-wal" for "report.sqlite"; SQLite follows links to find it.
std::string beside(const std::string& path, std::string_view ending) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return (error ? path : real.string()) + std::string(ending);
}

/// True if a program committed changes and nothing has moved them into the database yet.
bool has_write_ahead_log(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(beside(path, "-wal"), error);
  return !error && bytes > 0;
}

/// True if a program stopped in the middle of a change; the journal holds the pages before it.
bool has_hot_journal(const std::string& path) {
  constexpr std::string_view kJournalMagic = "\xD9\xD5\x05\xF9\x20\xA1\x63\xD7";
  const std::string journal = beside(path, "-journal");
  const Result<File> file = File::open_for_reading(journal);
  std::array<char, kJournalMagic.size()> head;
  return file && file->read_at(0, head.data(), head.size(), journal) &&
         std::string_view(head.data(), head.size()) == kJournalMagic;
}

int open_connection(const std::string& path, bool with_log, sqlite3*& connection) {
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  // `immutable` keeps SQLite from locking and from looking for journals, so read-only folders work.
  if (!with_log) {
    return sqlite3_open_v2((uri_of(path) + "?immutable=1").c_str(), &connection, kFlags, nullptr);
  }
  // Reads the log too, and writes nothing: without locks; with an index of the log in memory, not
  // in a file "-shm"; and the log is not moved into the database at the end.
  const int outcome = sqlite3_open_v2(uri_of(path).c_str(), &connection, kFlags, "unix-none");
  if (outcome != SQLITE_OK) return outcome;
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return sqlite3_exec(connection, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
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
  const bool with_log = has_write_ahead_log(path);
  if (with_log) {
    if (const Result<File> log = File::open_for_reading(beside(path, "-wal")); !log) {
      return log.error();
    }
  }
  const int outcome = open_connection(path, with_log, connection);
  SqliteDatabase database(connection);
  if (outcome != SQLITE_OK) {
    return input_error(connection == nullptr ? "out of memory" : sqlite3_errmsg(connection));
  }
  if (Status ready = database.set_up(bytes); !ready) return ready.error();
  if (database.problem_.empty() && has_hot_journal(path)) {
    database.problem_ = beside(path, "-journal") + " shows that a change of it is half done";
  }
  return database;
}

Result<SqliteDatabase> SqliteDatabase::open(const File& file, std::uint64_t bytes) {
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.fd(), 0);
  if (mapped == MAP_FAILED) return input_error(error_text(errno));
  MappedBytes mapping(mapped, bytes);
  // A database in memory can have no log beside it, and SQLite refuses one whose header says so.
  constexpr std::size_t kWriteVersion = 18, kReadVersion = 19;
  constexpr unsigned char kLog = 2, kNoLog = 1;
  auto* const header = static_cast<unsigned char*>(mapped);
  for (const std::size_t at : {kWriteVersion, kReadVersion}) {
    if (at < bytes && header[at] == kLog) header[at] = kNoLog;
  }
  sqlite3* connection = nullptr;
  int outcome = sqlite3_open_v2(":memory:", &connection,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteDatabase database(connection, std::move(mapping));
  if (outcome == SQLITE_OK) {
    const auto size = static_cast<sqlite3_int64>(bytes);
    outcome =
        sqlite3_deserialize(connection, "main", header, size, size, SQLITE_DESERIALIZE_READONLY);
  }
  if (outcome != SQLITE_OK) return input_error(sqlite3_errstr(outcome));
  if (Status ready = database.set_up(bytes); !ready) return ready.error();
  return database;
}

Status SqliteDatabase::set_up(std::uint64_t bytes) {
  // The file may come from anywhere: its schema must not run functions, and pages are checked
  // before use.
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (Status listed = run("SELECT count(*) FROM sqlite_master"); !listed) {
    if (sqlite3_errcode(connection_.get()) != SQLITE_CORRUPT) return listed;
    // A truncated file is shorter than its header says. SQLite refuses it unless the schema counts
    // as under repair. The file still cannot be written.
    if (Status set = run("PRAGMA writable_schema = ON"); !set) return set;
    problem_ = listed.error().message + ", tables may be missing";
  }
  // SQLite silently reads the missing part of a page as zeros.
  if (problem_.empty() && bytes % page_bytes() != 0) problem_ = "its last page is incomplete";
  for (const char* setting : {"PRAGMA cell_size_check = ON", "PRAGMA cache_size = -65536"}) {
    if (Status set = run(setting); !set) return set;
  }
  return {};
}

MappedBytes::~MappedBytes() {
  if (bytes_ != nullptr) ::munmap(bytes_, size_);
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
