#include "sql/sqlite_file.h"

#include <fmt/format.h>

#include "sql/engine.h"
#include "sql/virtual_table.h"

namespace tactus::sql {
namespace {

struct Index {
  std::string_view table;
  std::string_view columns;
};
// What joins and time windows look up. The id of a table is its primary key.
// Names are long: an index of them would be as large as the table.
constexpr Index kIndices[] = {
    {"slices", "ts_ns"},       {"kernels", "ts_ns"},        {"kernels", "op_id"},
    {"ops", "ts_ns"},          {"copies", "ts_ns"},         {"launches", "call_id"},
    {"launches", "kernel_id"}, {"counters", "name, ts_ns"}, {"stacks", "slice_id"},
};

/// Executes a statement; what the disk says is the caller's to act on.
Status execute(sqlite3* database, const std::string& sql) {
  char* message = nullptr;
  const int rc = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message);
  if (rc == SQLITE_OK) return {};
  const std::string text = message == nullptr ? sqlite3_errstr(rc) : message;
  sqlite3_free(message);
  if ((rc & 0xff) == SQLITE_FULL) return broke_error("cannot write: no space left on device");
  return broke_error("cannot write: " + text);
}

std::string table_columns(const Relation& relation) {
  std::string columns = declared_columns(relation);
  const std::string id = "\"id\" INTEGER";
  // The row number of SQLite then is the id, which costs nothing.
  if (columns.starts_with(id)) columns.insert(id.size(), " PRIMARY KEY");
  return columns;
}

Status write_tables(sqlite3* database, Engine& engine, Progress& progress) {
  // A file that is renamed when it is complete needs no journal.
  Status status = execute(database,
                          "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                          "PRAGMA temp_store = MEMORY; PRAGMA application_id = 1413571444;"
                          "PRAGMA locking_mode = EXCLUSIVE; BEGIN");
  std::size_t done = 0;
  for (const Relation& relation : engine.relations) {
    if (!status) return status;
    progress.update("writing " + relation.name, done++, engine.relations.size());
    status = execute(database, fmt::format("CREATE TABLE main.{0}({1});"
                                           "CREATE VIRTUAL TABLE temp.run_{0} USING tactus({0});"
                                           "INSERT INTO main.{0} SELECT * FROM temp.run_{0};",
                                           relation.name, table_columns(relation)));
  }
  for (const Index& index : kIndices) {
    if (!status) return status;
    std::string name = fmt::format("{}_{}", index.table, index.columns);
    for (std::size_t at = name.find(", "); at != std::string::npos; at = name.find(", ")) {
      name.replace(at, 2, "_");
    }
    status = execute(database,
                     fmt::format("CREATE INDEX {} ON {}({})", name, index.table, index.columns));
  }
  return status ? execute(database, "COMMIT") : status;
}

}  // namespace

Status write_sqlite(const Run& run, const WantedSlices& wanted, const std::string& path,
                    unsigned threads, Progress& progress) {
  Engine engine(run, wanted, threads);
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  Status status;
  if (sqlite3_open_v2(path.c_str(), &database, flags, nullptr) != SQLITE_OK ||
      add_virtual_tables(database, engine) != SQLITE_OK) {
    status = broke_error(std::string("cannot write: ") + sqlite3_errmsg(database));
  } else {
    status = write_tables(database, engine, progress);
  }
  sqlite3_close(database);
  return status;
}

}  // namespace tactus::sql
