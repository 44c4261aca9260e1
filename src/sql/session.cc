#include "sql/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sql/engine.h"
#include "sql/functions.h"
#include "sql/groups/answer_groups.h"
#include "sql/virtual_table.h"

namespace tactus::sql {
namespace {

constexpr int kStepsBetweenLooks = 1000;  // at the clock
constexpr int kLongestText = 64 << 20;    // bytes of one value
constexpr int kLongestQuery = 1 << 20;
constexpr int kLongestPattern = 1000;  // longer ones are not meant well

/// PRAGMAs that only tell something.
bool only_tells(std::string_view pragma) {
  for (const std::string_view known :
       {"table_info", "table_xinfo", "table_list", "function_list"}) {
    if (pragma == known) return true;
  }
  return false;
}

Cell cell_at(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return Cell::number(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: return Cell::real_number(sqlite3_column_double(statement, column));
    case SQLITE_NULL: return Cell::null();
    default: break;
  }
  const auto* text = static_cast<const char*>(sqlite3_column_blob(statement, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  return Cell::words(text == nullptr ? std::string_view("") : std::string_view(text, size));
}

/// "near the name" for a table or column that does not exist.
std::string hint_for(std::string_view message, const Engine& engine) {
  const auto rest_after = [&](std::string_view begin) {
    return message.starts_with(begin) ? message.substr(begin.size()) : std::string_view();
  };
  std::vector<std::string_view> words;
  std::string_view wrong = rest_after("no such table: ");
  if (!wrong.empty()) {
    for (const Relation& relation : engine.relations) words.push_back(relation.name);
    std::string list;
    for (const std::string_view word : words)
      list += (list.empty() ? "" : ", ") + std::string(word);
    const std::string_view close = nearest(wrong, words);
    return (close.empty() ? "" : "did you mean " + std::string(close) + "? ") +
           ("the tables are " + list);
  }
  wrong = rest_after("no such column: ");
  if (wrong.empty()) return {};
  if (const std::size_t dot = wrong.rfind('.'); dot != std::string_view::npos)
    wrong.remove_prefix(dot + 1);
  std::string tables;
  for (const Relation& relation : engine.relations) {
    for (const RelationColumn& column : relation.columns) words.push_back(column.name);
    if (relation.find(wrong)) tables += (tables.empty() ? "" : ", ") + relation.name;
  }
  if (!tables.empty()) return fmt::format("{} is a column of {}", wrong, tables);
  const std::string_view close = nearest(wrong, words);
  return close.empty() ? "`.schema` shows all columns" : "did you mean " + std::string(close) + "?";
}

}  // namespace

Session::Session(const Run& run, const SessionOptions& options)
    : run_(run),
      options_(options),
      engine_(std::make_unique<Engine>(run, WantedSlices{options.filter, options.steps},
                                       std::max(1U, options.threads))) {
  engine_->groups_columns = options.groups_columns;
}

Session::~Session() {
  sqlite3_close_v2(database_);
}

Result<std::unique_ptr<Session>> Session::open(const Run& run, const SessionOptions& options) {
  std::unique_ptr<Session> session(new Session(run, options));
  if (const Status status = session->set_up(); !status) return status.error();
  return session;
}

Status Session::set_up() {
  const int rc = sqlite3_open_v2(
      ":memory:", &database_,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
      nullptr);
  if (rc != SQLITE_OK) return broke_error("SQLite does not start");
  sqlite3_hard_heap_limit64(options_.memory_bytes);
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, kLongestText);
  sqlite3_limit(database_, SQLITE_LIMIT_SQL_LENGTH, kLongestQuery);
  sqlite3_limit(database_, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestPattern);
  sqlite3_limit(database_, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database_, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  std::string sql = "PRAGMA temp_store = MEMORY;";
  for (const Relation& relation : engine_->relations) {
    sql += "CREATE VIRTUAL TABLE " + relation.name + " USING tactus(" + relation.name + ");";
  }
  if (add_virtual_tables(database_, *engine_) != SQLITE_OK ||
      add_functions(database_, run_) != SQLITE_OK ||
      add_percentile_function(database_, engine_->group_numbers) != SQLITE_OK ||
      sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return broke_error(std::string("SQLite does not start: ") + sqlite3_errmsg(database_));
  }
  sqlite3_set_authorizer(database_, authorize, this);
  sqlite3_progress_handler(database_, kStepsBetweenLooks, on_progress, this);
  is_own_work_ = false;
  return {};
}

int Session::authorize(void* session, int action, const char* a, const char* b, const char*,
                       const char*) {
  if (static_cast<Session*>(session)->is_own_work_) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
      return b != nullptr && (std::string_view(b) == "load_extension" || b == kPercentileFunction)
                 ? SQLITE_DENY
                 : SQLITE_OK;
    case SQLITE_PRAGMA: return a != nullptr && only_tells(a) ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
  }
}

int Session::on_progress(void* session) {
  return static_cast<Session*>(session)->engine_->deadline.is_over() ? 1 : 0;
}

Error Session::sqlite_error(std::string_view query) const {
  const int code = sqlite3_errcode(database_) & 0xff;
  const std::string message = sqlite3_errmsg(database_);
  if (engine_->deadline.was_stopped()) return broke_error("the query was stopped");
  if (engine_->deadline.was_over() || code == SQLITE_INTERRUPT) {
    return broke_error(
        fmt::format("the query took longer than {} s and was stopped; give "
                    "--timeout SECONDS for more time, or ask for less",
                    options_.timeout_s));
  }
  if (code == SQLITE_NOMEM) {
    return broke_error(fmt::format("the query needs more than {} MiB of memory; ask for less",
                                   options_.memory_bytes >> 20));
  }
  if (code == SQLITE_TOOBIG)
    return usage_error("the query or a value of it is too long: " + message);
  if (code == SQLITE_AUTH) {
    return usage_error("runs are read-only: only SELECT is possible (" + message + ")");
  }
  std::string text = message;
  const int offset = sqlite3_error_offset(database_);
  if (offset >= 0 && static_cast<std::size_t>(offset) <= query.size()) {
    const std::string_view before = query.substr(0, static_cast<std::size_t>(offset));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t begin = before.rfind('\n') + 1;  // 0 if there is none
    const std::string_view rest = query.substr(begin, query.find('\n', begin) - begin);
    constexpr std::size_t kShown = 100;
    if (rest.size() <= kShown) {
      text += fmt::format("\n{}\n{:>{}}", rest, "^", before.size() - begin + 1);
    } else {
      text += fmt::format(" (line {}, column {})", line, before.size() - begin + 1);
    }
  }
  if (const std::string hint = hint_for(message, *engine_); !hint.empty()) text += "\n" + hint;
  return usage_error(text);
}

Status Session::prepare(std::string_view query, sqlite3_stmt** statement) {
  const char* rest = nullptr;
  if (query.size() > kLongestQuery) {
    return usage_error(fmt::format("the query is longer than {} bytes", kLongestQuery));
  }
  if (query.find('\0') != std::string_view::npos) return usage_error("the query has a zero byte");
  const int rc =
      sqlite3_prepare_v2(database_, query.data(), static_cast<int>(query.size()), statement, &rest);
  if (rc != SQLITE_OK) return sqlite_error(query);
  if (*statement == nullptr) return usage_error("the query is empty");
  sqlite3_stmt* second = nullptr;
  const auto left = static_cast<int>(query.data() + query.size() - rest);
  const bool is_one =
      sqlite3_prepare_v2(database_, rest, left, &second, nullptr) == SQLITE_OK && second == nullptr;
  sqlite3_finalize(second);
  if (!is_one) {
    sqlite3_finalize(*statement);
    *statement = nullptr;
    return usage_error("more than one query; give them one by one");
  }
  if (sqlite3_stmt_readonly(*statement) == 0) {
    sqlite3_finalize(*statement);
    *statement = nullptr;
    return usage_error("runs are read-only: only SELECT is possible");
  }
  return {};
}

Status Session::step_through(sqlite3_stmt* statement, const std::vector<std::string>& columns,
                             RowSink& sink) {
  std::vector<Cell> cells(columns.size());
  // A table that could not be worked out in time looks empty to SQLite.
  const auto step = [&] {
    const int result = sqlite3_step(statement);
    return engine_->deadline.was_over() ? SQLITE_INTERRUPT : result;
  };
  int rc = step();
  if (rc == SQLITE_ROW || rc == SQLITE_DONE) {
    if (Status status = sink.begin(columns); !status) return status;
  }
  for (; rc == SQLITE_ROW; rc = step()) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = cell_at(statement, static_cast<int>(i));
    if (Status status = sink.row(cells); !status) return status;
  }
  if (rc != SQLITE_DONE) return sqlite_error({});
  return {};
}

Status Session::run(std::string_view query, RowSink& sink) {
  engine_->deadline.start(options_.timeout_s);
  used_columns_ = false;
  sqlite3_stmt* statement = nullptr;
  if (Status status = prepare(query, &statement); !status) return status;
  std::vector<std::string> columns;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* name = sqlite3_column_name(statement, i);
    columns.emplace_back(name == nullptr ? "" : name);
  }
  const bool is_plain = sqlite3_stmt_isexplain(statement) == 0;
  sqlite3_stmt* grouped = nullptr;
  bool has_small_tables = false;
  if (engine_->groups_columns && is_plain) {
    is_own_work_ = true;
    const int changes = sqlite3_total_changes(database_);
    const std::string rewritten = prepare_groups(database_, *engine_, query);
    if (!rewritten.empty() &&
        sqlite3_prepare_v2(database_, rewritten.c_str(), -1, &grouped, nullptr) != SQLITE_OK) {
      grouped = nullptr;
    }
    used_columns_ =
        grouped != nullptr && sqlite3_column_count(grouped) == static_cast<int>(columns.size());
    has_small_tables = !rewritten.empty() || sqlite3_total_changes(database_) != changes;
    is_own_work_ = false;
  }
  Status status = step_through(used_columns_ ? grouped : statement, columns, sink);
  sqlite3_finalize(grouped);
  sqlite3_finalize(statement);
  if (has_small_tables) {
    is_own_work_ = true;
    engine_->deadline.start(options_.timeout_s);
    drop_groups(database_);
    engine_->group_numbers = {};
    is_own_work_ = false;
  }
  if (!status) return status;
  return run_.status();
}

void Session::stop() {
  engine_->deadline.stop();
}

bool Session::is_complete(const std::string& text) {
  return sqlite3_complete(text.c_str()) != 0;
}

std::vector<std::string> Session::tables() const {
  std::vector<std::string> names;
  for (const Relation& relation : engine_->relations) names.push_back(relation.name);
  return names;
}

std::vector<std::string> Session::schema() const {
  std::vector<std::string> tables;
  for (const Relation& relation : engine_->relations) {
    std::string text = relation.name + " -- " + std::string(relation.about) + "\n";
    for (const RelationColumn& column : relation.columns) {
      text += fmt::format("  {:<14} {:<8} {}\n", column.name, column.type, column.about);
    }
    tables.push_back(std::move(text));
  }
  return tables;
}

const std::vector<std::string>& Session::warnings() const {
  return engine_->derived.warnings();
}

}  // namespace tactus::sql
