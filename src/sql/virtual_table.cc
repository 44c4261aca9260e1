#include "sql/virtual_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "sql/scan/cursor.h"

namespace tactus::sql {
namespace {

struct VirtualTable : sqlite3_vtab {
  Engine* engine = nullptr;
  const Relation* relation = nullptr;
};

struct OpenCursor : sqlite3_vtab_cursor {
  explicit OpenCursor(VirtualTable& table) : scan(*table.engine, *table.relation) {}
  Cursor scan;
  std::string plan_text;  ///< of `plan`: an inner loop of a join starts millions of times
  Plan plan;
};

/// A text that SQLite frees; null if there is no memory.
char* owned_text(const std::string& text) {
  auto* copy = static_cast<char*>(sqlite3_malloc64(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

int connect(sqlite3* database, void* context, int count, const char* const* words,
            sqlite3_vtab** table, char** error) {
  auto* engine = static_cast<Engine*>(context);
  const Relation* relation = count > 3 ? engine->find(words[3]) : nullptr;
  if (relation == nullptr) {
    *error = owned_text("no such table of the run");
    return SQLITE_ERROR;
  }
  const std::string sql = "CREATE TABLE x(" + declared_columns(*relation) + ")";
  if (const int rc = sqlite3_declare_vtab(database, sql.c_str()); rc != SQLITE_OK) return rc;
  sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  auto* made = new (std::nothrow) VirtualTable;
  if (made == nullptr) return SQLITE_NOMEM;
  made->engine = engine;
  made->relation = relation;
  *table = made;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

std::optional<Comparison> comparison_of(int op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return Comparison::kEqual;
    case SQLITE_INDEX_CONSTRAINT_LT: return Comparison::kLess;
    case SQLITE_INDEX_CONSTRAINT_LE: return Comparison::kLessEqual;
    case SQLITE_INDEX_CONSTRAINT_GT: return Comparison::kGreater;
    case SQLITE_INDEX_CONSTRAINT_GE: return Comparison::kGreaterEqual;
    case SQLITE_INDEX_CONSTRAINT_LIKE: return Comparison::kLike;
    case SQLITE_INDEX_CONSTRAINT_GLOB: return Comparison::kGlob;
    case SQLITE_INDEX_CONSTRAINT_ISNULL: return Comparison::kIsNull;
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: return Comparison::kIsNotNull;
    default: return std::nullopt;
  }
}

bool is_range(Comparison comparison) {
  return comparison == Comparison::kLess || comparison == Comparison::kLessEqual ||
         comparison == Comparison::kGreater || comparison == Comparison::kGreaterEqual;
}

/// Whether a scan can check such a comparison at all.
bool can_check(const RelationColumn& column, Comparison comparison) {
  switch (column.meaning) {
    case Meaning::kComputed: return false;
    case Meaning::kRowNumber: return comparison == Comparison::kEqual || is_range(comparison);
    case Meaning::kDictionary: return !is_range(comparison);
    default: return comparison != Comparison::kLike && comparison != Comparison::kGlob;
  }
}

/// Makes a plan out of what SQLite offers.
class Planner {
 public:
  Planner(const VirtualTable& table, sqlite3_index_info& info)
      : engine_(*table.engine), relation_(*table.relation), info_(info) {}

  int plan() {
    for (int i = 0; i < info_.nConstraint; ++i) offer_constraint(i);
    offer_order();
    offer_limit();
    estimate();
    info_.idxStr = owned_text(plan_.text());
    info_.needToFreeIdxStr = 1;
    return info_.idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  }

 private:
  void offer_constraint(int i) {
    const auto& constraint = info_.aConstraint[i];
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_LIMIT ||
        constraint.op == SQLITE_INDEX_CONSTRAINT_OFFSET) {
      return;
    }
    const std::optional<Comparison> comparison = comparison_of(constraint.op);
    const bool is_column = constraint.iColumn >= 0;
    if (!constraint.usable || !comparison || !is_column) {
      is_exact_ = false;
      return;
    }
    const RelationColumn& column = relation_.columns[static_cast<std::size_t>(constraint.iColumn)];
    const bool compares_bytes = std::string_view(sqlite3_vtab_collation(&info_, i)) == "BINARY";
    if (!can_check(column, *comparison) || !compares_bytes) {
      is_exact_ = false;
      return;
    }
    PlannedTerm term{.column = constraint.iColumn, .comparison = *comparison};
    const bool is_list = *comparison == Comparison::kEqual && column.has_codes() &&
                         sqlite3_vtab_in(&info_, i, -1) != 0;
    if (is_list) {
      sqlite3_vtab_in(&info_, i, 1);
      term.is_list = true;
      is_exact_ = false;
    }
    is_exact_ &= is_certain(i, column, *comparison);
    info_.aConstraintUsage[i].argvIndex = static_cast<int>(plan_.terms.size()) + 1;
    plan_.terms.push_back(term);
    narrow(column, constraint.iColumn, *comparison);
  }

  /// The scan lets exactly those rows through that SQLite would.
  bool is_certain(int i, const RelationColumn& column, Comparison comparison) {
    if (comparison == Comparison::kIsNull || comparison == Comparison::kIsNotNull) return true;
    sqlite3_value* value = nullptr;
    if (sqlite3_vtab_rhs_value(&info_, i, &value) != SQLITE_OK || value == nullptr) return false;
    const int type = sqlite3_value_type(value);
    if (column.is_number() || column.meaning == Meaning::kRowNumber) {
      return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    }
    return column.type == "TEXT" && type == SQLITE_TEXT;
  }

  void narrow(const RelationColumn& column, int index, Comparison comparison) {
    const bool is_equal = comparison == Comparison::kEqual;
    if (column.meaning == Meaning::kRowNumber && is_equal) {
      share_ = 0;
      is_unique_ = true;
    } else if (index == relation_.sorted_column && is_equal) {
      share_ = std::min(share_, 1e-6);
    } else {
      share_ *= is_equal ? 0.01 : 0.3;
      scans_ |= !is_equal;
    }
  }

  void offer_order() {
    if (is_unique_ || info_.nOrderBy != 1) return;
    const int index = info_.aOrderBy[0].iColumn;
    if (index < 0) return;
    const RelationColumn& column = relation_.columns[static_cast<std::size_t>(index)];
    // Texts are put in order once per distinct text, which needs a list of them.
    const bool are_texts = column.meaning == Meaning::kDictionary && column.type == "TEXT" &&
                           engine_.distinct.of(column.codes(), engine_.threads) != nullptr;
    if (!column.is_number() && column.meaning != Meaning::kRowNumber && !are_texts) return;
    plan_.order_column = index;
    plan_.is_descending = info_.aOrderBy[0].desc != 0;
    info_.orderByConsumed = 1;
  }

  /// With a limit, only the first rows need to be kept in order. The limit itself stays SQLite's.
  void offer_limit() {
    if (!is_exact_ || plan_.order_column < 0) return;
    int limit = -1, offset = -1;
    bool has_offset = false;
    for (int i = 0; i < info_.nConstraint; ++i) {
      const auto& constraint = info_.aConstraint[i];
      if (constraint.op == SQLITE_INDEX_CONSTRAINT_LIMIT && constraint.usable) limit = i;
      if (constraint.op == SQLITE_INDEX_CONSTRAINT_OFFSET) {
        has_offset = true;
        if (constraint.usable) offset = i;
      }
    }
    if (limit < 0 || (has_offset && offset < 0)) return;
    sqlite3_value* most = nullptr;
    sqlite3_value* skipped = nullptr;
    if (sqlite3_vtab_rhs_value(&info_, limit, &most) != SQLITE_OK || most == nullptr) return;
    std::int64_t rows = sqlite3_value_int64(most);
    if (offset >= 0) {
      if (sqlite3_vtab_rhs_value(&info_, offset, &skipped) != SQLITE_OK || skipped == nullptr) {
        return;
      }
      const std::int64_t first = std::max<std::int64_t>(0, sqlite3_value_int64(skipped));
      if (rows < 0 || first > INT64_MAX - rows) return;
      rows += first;
    }
    if (rows >= 0) plan_.most_rows = rows;
  }

  void estimate() {
    // The table itself is not asked how long it is: some have to be worked out first.
    constexpr double kTypicalRows = 1e6;
    const double rows = std::max(1.0, kTypicalRows * share_);
    const bool is_scan = share_ > 0.001 || scans_;
    info_.estimatedRows = static_cast<sqlite3_int64>(rows);
    info_.estimatedCost = (is_unique_ ? 1 : is_scan ? kTypicalRows * 0.05 : 20) + rows;
    if (is_unique_) info_.idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  }

  Engine& engine_;
  const Relation& relation_;
  sqlite3_index_info& info_;
  Plan plan_;
  double share_ = 1;  ///< of the rows that are expected
  bool is_exact_ = true;
  bool is_unique_ = false;
  bool scans_ = false;
};

int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  try {
    return Planner(*static_cast<VirtualTable*>(table), *info).plan();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  auto* made = new (std::nothrow) OpenCursor(*static_cast<VirtualTable*>(table));
  *cursor = made;
  return made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<OpenCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char* plan, int count, sqlite3_value** values) {
  try {
    auto& opened = *static_cast<OpenCursor*>(cursor);
    if (opened.plan_text != plan) {
      opened.plan = Plan::read(plan);
      opened.plan_text = plan;
    }
    const std::span<sqlite3_value*> given(values, static_cast<std::size_t>(count));
    return opened.scan.start(opened.plan, given) ? SQLITE_OK : SQLITE_INTERRUPT;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int next(sqlite3_vtab_cursor* cursor) {
  return static_cast<OpenCursor*>(cursor)->scan.advance() ? SQLITE_OK : SQLITE_INTERRUPT;
}

int is_at_end(sqlite3_vtab_cursor* cursor) {
  return static_cast<OpenCursor*>(cursor)->scan.is_at_end() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  Cursor& scan = static_cast<OpenCursor*>(cursor)->scan;
  try {
    set_result(context, scan.cell(static_cast<std::size_t>(index)), scan.buffer());
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

int row_number(sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
  *row = static_cast<sqlite3_int64>(static_cast<OpenCursor*>(cursor)->scan.row());
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.xCreate = connect;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xDestroy = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = is_at_end;
  module.xColumn = column;
  module.xRowid = row_number;
  return module;
}

}  // namespace

int add_virtual_tables(sqlite3* database, Engine& engine) {
  static const sqlite3_module kModule = make_module();
  return sqlite3_create_module_v2(database, "tactus", &kModule, &engine, nullptr);
}

std::string declared_columns(const Relation& relation) {
  std::string sql;
  for (const RelationColumn& column : relation.columns) {
    if (!sql.empty()) sql += ", ";
    sql += "\"" + column.name + "\"";
    if (!column.type.empty()) sql += " " + std::string(column.type);
  }
  return sql;
}

void set_result(sqlite3_context* context, const Cell& cell, const std::string& buffer) {
  switch (cell.type) {
    case Cell::Type::kNull: sqlite3_result_null(context); return;
    case Cell::Type::kInteger: sqlite3_result_int64(context, cell.integer); return;
    case Cell::Type::kReal: sqlite3_result_double(context, cell.real); return;
    case Cell::Type::kText: break;
  }
  const bool is_in_buffer = cell.text.data() == buffer.data();
  const char* text = cell.text.data() == nullptr ? "" : cell.text.data();
  sqlite3_result_text64(context, text, cell.text.size(),
                        is_in_buffer ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

}  // namespace tactus::sql
