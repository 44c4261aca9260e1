#pragma once

#include <sqlite3.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sql/engine.h"
#include "sql/scan/conditions.h"
#include "sql/scan/selection.h"

namespace tactus::sql {

/// One condition that SQLite asks a table to check; the value comes when the scan starts.
struct PlannedTerm {
  int column = 0;
  Comparison comparison = Comparison::kEqual;
  bool is_list = false;  ///< the value is the list of an IN
};

/// How a table is to be read. SQLite keeps it as text between planning and running.
struct Plan {
  std::vector<PlannedTerm> terms;
  int order_column = -1;  ///< rows come in the order of this column; -1: in any order
  bool is_descending = false;
  std::int64_t most_rows = -1;  ///< no more rows will be asked for; -1: unknown

  std::string text() const;
  static Plan read(const char* text);
};

/// Walks over the wanted rows of a table.
class Cursor {
 public:
  Cursor(Engine& engine, const Relation& relation);

  /// Both are false if the time is over.
  bool start(const Plan& plan, std::span<sqlite3_value*> values);
  bool advance();

  bool is_at_end() const { return at_end_; }
  std::size_t row() const { return row_; }
  Cell cell(std::size_t column);
  const std::string& buffer() const { return buffer_; }

 private:
  /// A block of one column, unpacked.
  struct Unpacked {
    const Column* column = nullptr;
    std::size_t first = SIZE_MAX;
    std::unique_ptr<std::array<std::int64_t, Column::kBlockRows>> values;
  };

  void add_term(const PlannedTerm& term, sqlite3_value* value);
  bool use_short_cut(const Plan& plan);
  bool keep_wanted(std::span<const std::uint32_t> candidates);
  bool sort_rows(const Plan& plan);
  bool sort_by_text(const Plan& plan);
  template <class F>
  bool for_each_wanted(F&& f);
  bool next_block();
  std::int64_t code_at(std::size_t column);

  Engine& engine_;
  const Relation& relation_;
  std::vector<Unpacked> unpacked_;
  std::vector<Condition> own_conditions_;  ///< those of the table
  bool has_own_conditions_ = false;

  std::size_t rows_ = 0;
  IntegerRange row_range_;             ///< from conditions on the row number
  std::vector<Condition> conditions_;  ///< all
  bool is_list_ = false;
  std::vector<std::uint32_t> list_;  ///< rows to show, if they are listed
  std::size_t next_in_list_ = 0;
  std::size_t next_block_ = 0;
  Selection selection_;
  std::size_t next_in_selection_ = 0;

  bool at_end_ = true;
  std::size_t row_ = 0;
  std::string buffer_;
};

}  // namespace tactus::sql
