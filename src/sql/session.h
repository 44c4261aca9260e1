#pragma once

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cycles/cycles.h"
#include "run/filter.h"
#include "run/run.h"
#include "sql/cell.h"

namespace tactus::sql {

class Engine;

struct SessionOptions {
  SliceFilter filter;
  const Cycles* steps =
      nullptr;            ///< if given, only what belongs to these; must outlive the session
  double timeout_s = 60;  ///< of each query
  std::int64_t memory_bytes = std::int64_t{2} << 30;  ///< that SQLite may use
  unsigned threads = 1;
  bool groups_columns = true;  ///< false: every query goes row by row
};

/// Takes the rows of an answer as they come. An error ends the query.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual Status begin(const std::vector<std::string>& columns) = 0;
  virtual Status row(std::span<const Cell> cells) = 0;
};

/// Answers SQL queries over one run. Nothing can be written, and no file is opened.
class Session {
 public:
  /// The run must outlive the session.
  static Result<std::unique_ptr<Session>> open(const Run& run, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs one query. A query that is wrong is a usage error; one that needs too much time or memory
  /// is a broke error.
  Status run(std::string_view query, RowSink& sink);

  /// Ends the query that runs, as if its time were over. A signal handler may call it.
  void stop();

  /// Whether a text holds whole queries, up to the last semicolon.
  static bool is_complete(const std::string& text);

  /// Names of the tables, and "name(column type, ...)" of each.
  std::vector<std::string> tables() const;
  std::vector<std::string> schema() const;

  /// Sentences about what could not be worked out so far.
  const std::vector<std::string>& warnings() const;
  /// Whether the last query was answered from columns.
  bool used_columns() const { return used_columns_; }

 private:
  Session(const Run& run, const SessionOptions& options);

  Status set_up();
  Status prepare(std::string_view query, sqlite3_stmt** statement);
  Status step_through(sqlite3_stmt* statement, const std::vector<std::string>& columns,
                      RowSink& sink);
  Error sqlite_error(std::string_view query) const;
  static int authorize(void* session, int action, const char* a, const char* b, const char*,
                       const char*);
  static int on_progress(void* session);

  const Run& run_;
  SessionOptions options_;
  std::unique_ptr<Engine> engine_;
  sqlite3* database_ = nullptr;
  bool is_own_work_ = true;  ///< what the session itself asks of SQLite is allowed
  bool used_columns_ = false;
};

}  // namespace tactus::sql
