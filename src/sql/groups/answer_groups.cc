#include "sql/groups/answer_groups.h"

#include <algorithm>

#include "sql/groups/group_query.h"
#include "sql/groups/grouping.h"
#include "sql/scan/conditions.h"

namespace tactus::sql {
namespace {

constexpr std::string_view kCodeTable = "temp.tactus_codes";
constexpr std::size_t kMostCodes = std::size_t{1} << 20;

/// A statement that finalizes itself.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
      statement_ = nullptr;
    }
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  explicit operator bool() const { return statement_ != nullptr; }
  sqlite3_stmt* get() const { return statement_; }
  int step() { return sqlite3_step(statement_); }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

bool run(sqlite3* database, const std::string& sql) {
  return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

void bind(sqlite3_stmt* statement, int place, const Cell& cell) {
  switch (cell.type) {
    case Cell::Type::kNull: sqlite3_bind_null(statement, place); break;
    case Cell::Type::kInteger: sqlite3_bind_int64(statement, place, cell.integer); break;
    case Cell::Type::kReal: sqlite3_bind_double(statement, place, cell.real); break;
    case Cell::Type::kText:
      sqlite3_bind_text64(statement, place, cell.text.data() == nullptr ? "" : cell.text.data(),
                          cell.text.size(), SQLITE_STATIC, SQLITE_UTF8);
      break;
  }
}

class GroupAnswer {
 public:
  GroupAnswer(sqlite3* database, Engine& engine, GroupQuery query)
      : database_(database), engine_(engine), query_(std::move(query)) {}

  std::string prepare() {
    if (!add_keys() || !add_values() || !add_conditions()) return {};
    std::optional<Groups> groups = group_rows(task_, engine_.deadline);
    if (!groups || !are_sums_exact(*groups) || !fill_table(*groups)) return {};
    engine_.group_numbers = std::move(groups->all);
    return query_.rewritten;
  }

 private:
  const RelationColumn& column(std::size_t index) const { return query_.scope.column(index); }

  /// The codes of a column by row of the base; null if the time is over.
  const Column* codes(std::size_t index) {
    const Column& own = column(index).codes();
    const Scope::Table& table = query_.scope.table_of(index);
    if (!table.id_column) return &own;
    const Column* ids = codes(*table.id_column);
    if (ids == nullptr) return nullptr;
    return engine_.look_ups.numbers(own, *ids, engine_.threads, engine_.deadline);
  }

  bool add_keys() {
    for (const std::size_t key : query_.sums.keys) {
      if (!column(key).has_codes()) return false;
      const Column* of_key = codes(key);
      if (of_key == nullptr) return false;
      const auto at = std::find(task_.keys.begin(), task_.keys.end(), of_key);
      place_of_key_.push_back(static_cast<std::size_t>(at - task_.keys.begin()));
      if (at != task_.keys.end()) continue;
      const DistinctCodes* distinct = engine_.distinct.of(*of_key, engine_.threads);
      if (distinct == nullptr) return false;
      task_.keys.push_back(of_key);
      task_.codes.push_back(distinct);
    }
    return true;
  }

  bool add_values() {
    std::size_t kept = 0;
    for (const ValueColumn& value : query_.sums.values) {
      const Column* of_value = codes(value.column);
      if (of_value == nullptr) return false;
      task_.values.push_back({.column = of_value,
                              .has_nulls = column(value.column).meaning == Meaning::kNumberOrNull,
                              .needs_sum = value.needs_sum,
                              .needs_limits = value.needs_limits,
                              .needs_all = value.needs_all});
      if (value.needs_all) kept += of_value->size();
    }
    return kept <= kMostNumbers;
  }

  bool add_conditions() {
    task_.rows = query_.scope.tables[query_.scope.base].relation->rows();
    task_.threads = engine_.threads;
    for (const NumberTerm& term : query_.terms.numbers) {
      if (!add_number_term(term)) return false;
    }
    for (const CodeTerm& term : query_.terms.codes) {
      if (!add_code_term(term)) return false;
    }
    for (const Scope::Table& table : query_.scope.tables) {
      if (table.id_column) {
        const Column* ids = codes(*table.id_column);
        if (ids == nullptr) return false;
        const Column* are_there =
            engine_.look_ups.are_there(*table.relation, *ids, engine_.threads, engine_.deadline);
        if (are_there == nullptr) return false;
        task_.conditions.push_back({.column = are_there, .low = 1, .wanted = nullptr});
      } else if (table.relation->conditions) {
        for (Condition& condition : table.relation->conditions()) {
          task_.conditions.push_back(std::move(condition));
        }
      }
    }
    return true;
  }

  bool add_number_term(const NumberTerm& term) {
    Statement constant(database_, "SELECT " + term.constant);
    if (!constant || constant.step() != SQLITE_ROW) return false;
    Comparison comparison = Comparison::kEqual;
    if (term.comparison == "<") comparison = Comparison::kLess;
    if (term.comparison == "<=") comparison = Comparison::kLessEqual;
    if (term.comparison == ">") comparison = Comparison::kGreater;
    if (term.comparison == ">=") comparison = Comparison::kGreaterEqual;
    sqlite3_value* value = sqlite3_column_value(constant.get(), 0);
    const int type = sqlite3_value_type(value);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return false;
    IntegerRange range = *range_of(comparison, value);
    const RelationColumn& facts = column(term.column);
    if (facts.meaning == Meaning::kNumberOrNull) range.low = std::max<std::int64_t>(range.low, 0);
    const Column* numbers = codes(term.column);
    if (numbers == nullptr) return false;
    add_condition(engine_,
                  {.column = numbers, .low = range.low, .high = range.high, .wanted = nullptr},
                  task_.conditions);
    return true;
  }

  /// Lets SQLite judge the condition once per distinct code.
  bool add_code_term(const CodeTerm& term) {
    const Column* of_term = codes(term.columns.front());
    if (of_term == nullptr) return false;
    for (const std::size_t index : term.columns) {
      if (codes(index) != of_term) return false;
    }
    const DistinctCodes* distinct = engine_.distinct.of(*of_term, engine_.threads);
    if (distinct == nullptr || distinct->codes.size() > kMostCodes) return false;
    std::vector<std::size_t> shown = term.columns;
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    if (!fill_codes(shown, *distinct)) return false;
    Statement select(database_,
                     "SELECT tactus_code FROM " + std::string(kCodeTable) + " WHERE " + term.text);
    if (!select) return false;
    // The code of NULL is -1 and has no place in the list; few conditions want NULL.
    auto wanted = std::make_shared<std::vector<std::uint8_t>>();
    bool wants_none = false;
    int rc = select.step();
    for (; rc == SQLITE_ROW; rc = select.step()) {
      const std::int64_t code = sqlite3_column_int64(select.get(), 0);
      if (code < 0) {
        wants_none = true;
        continue;
      }
      const auto at = static_cast<std::size_t>(code);
      if (at >= wanted->size()) wanted->resize(at + 1, 0);
      (*wanted)[at] = 1;
    }
    if (rc != SQLITE_DONE || wants_none) return false;
    task_.conditions.push_back({.column = of_term, .wanted = std::move(wanted)});
    return true;
  }

  bool fill_codes(const std::vector<std::size_t>& shown, const DistinctCodes& distinct) {
    std::string columns = "tactus_code INTEGER";
    std::string marks = "?";
    for (const std::size_t index : shown) {
      columns += ", " + key_column(index) + " " + std::string(column(index).type);
      marks += ",?";
    }
    const std::string table(kCodeTable);
    if (!run(database_, "DROP TABLE IF EXISTS " + table) ||
        !run(database_, "CREATE TABLE " + table + "(" + columns + ")")) {
      return false;
    }
    Statement insert(database_, "INSERT INTO " + table + " VALUES(" + marks + ")");
    if (!insert) return false;
    for (const std::int64_t code : distinct.codes) {
      sqlite3_bind_int64(insert.get(), 1, code);
      for (std::size_t i = 0; i < shown.size(); ++i) {
        bind(insert.get(), static_cast<int>(i) + 2, column(shown[i]).cell_of(code));
      }
      if (insert.step() != SQLITE_DONE) return false;
      sqlite3_reset(insert.get());
    }
    return true;
  }

  /// SQLite adds row by row: integers until they overflow, and doubles for averages. Our sums are
  /// the same as long as no order of adding can overflow or round.
  bool are_sums_exact(const Groups& groups) const {
    const Wide limit = query_.sums.needs_sums_as_real ? (Wide{1} << 53) : (Wide{1} << 63);
    const std::size_t width = task_.values.size();
    for (std::size_t v = 0; v < width; ++v) {
      if (!task_.values[v].needs_sum) continue;
      Wide size = groups.sizes[v].value_or(0);
      for (std::size_t group = 0; !groups.sizes[v] && group < groups.size(); ++group) {
        size += groups.totals[group * width + v].sum;
      }
      if (size >= limit) return false;
    }
    return true;
  }

  bool fill_table(const Groups& groups) {
    std::string columns =
        std::string(kGroupColumn) + " INTEGER, " + std::string(kRowsColumn) + " INTEGER";
    for (const std::size_t key : query_.sums.keys) {
      columns += ", " + key_column(key) + " " + std::string(column(key).type);
    }
    for (std::size_t v = 0; v < task_.values.size(); ++v) {
      columns += ", " + count_column(v) + " INTEGER, " + sum_column(v) + " INTEGER, " +
                 min_column(v) + " INTEGER, " + max_column(v) + " INTEGER";
    }
    const std::string table(kGroupTable);
    if (!run(database_, "DROP TABLE IF EXISTS " + table) ||
        !run(database_, "CREATE TABLE " + table + "(" + columns + ")")) {
      return false;
    }
    const std::size_t count = 2 + query_.sums.keys.size() + 4 * task_.values.size();
    std::string marks = "?";
    for (std::size_t i = 1; i < count; ++i) marks += ",?";
    Statement insert(database_, "INSERT INTO " + table + " VALUES(" + marks + ")");
    if (!insert) return false;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      bind_group(groups, group, insert.get());
      if (insert.step() != SQLITE_DONE) return false;
      sqlite3_reset(insert.get());
    }
    return true;
  }

  void bind_group(const Groups& groups, std::size_t group, sqlite3_stmt* insert) const {
    int place = 1;
    sqlite3_bind_int64(insert, place++, static_cast<std::int64_t>(group));
    sqlite3_bind_int64(insert, place++, groups.rows[group]);
    for (std::size_t i = 0; i < query_.sums.keys.size(); ++i) {
      const std::int64_t code = groups.codes[group * task_.keys.size() + place_of_key_[i]];
      bind(insert, place++, column(query_.sums.keys[i]).cell_of(code));
    }
    for (std::size_t v = 0; v < task_.values.size(); ++v) {
      const Totals& totals = groups.totals[group * task_.values.size() + v];
      sqlite3_bind_int64(insert, place++, totals.count);
      if (totals.count == 0) {
        for (int i = 0; i < 3; ++i) sqlite3_bind_null(insert, place++);
        continue;
      }
      sqlite3_bind_int64(insert, place++, static_cast<std::int64_t>(totals.sum));
      sqlite3_bind_int64(insert, place++, totals.low);
      sqlite3_bind_int64(insert, place++, totals.high);
    }
  }

  sqlite3* database_;
  Engine& engine_;
  GroupQuery query_;
  GroupTask task_;
  std::vector<std::size_t> place_of_key_;  ///< in the keys of the task
};

}  // namespace

std::string prepare_groups(sqlite3* database, Engine& engine, std::string_view query) {
  std::optional<GroupQuery> grouped = read_group_query(query, engine.relations);
  if (!grouped) return {};
  return GroupAnswer(database, engine, std::move(*grouped)).prepare();
}

void drop_groups(sqlite3* database) {
  run(database, "DROP TABLE IF EXISTS " + std::string(kGroupTable));
  run(database, "DROP TABLE IF EXISTS " + std::string(kCodeTable));
}

}  // namespace tactus::sql
