#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/column.h"
#include "sql/cell.h"

namespace tactus::sql {

/// What the numbers of a column stand for.
enum class Meaning : std::uint8_t {
  kNumber,        ///< the number itself
  kNumberOrNull,  ///< the same; below 0 is NULL
  kDictionary,    ///< a place in a dictionary
  kRowNumber,     ///< there is no column: the row itself
  kComputed,      ///< there is no column: a function of the row
};

/// The values that codes of a column stand for.
struct Dictionary {
  std::function<Cell(std::int64_t)> cell;  ///< also for codes that a damaged file made up
  /// The only code of a text, if there is a quick way to find it; -1 if no code has it.
  std::function<std::int64_t(std::string_view)> find;
};

/// A column of a table. Most columns are numbers of the run plus what they mean, so a condition or
/// a group is worked out per distinct number, not per row.
struct RelationColumn {
  std::string name;
  std::string_view type;  ///< INTEGER, REAL, TEXT; empty if rows differ
  Meaning meaning = Meaning::kNumber;
  std::function<const Column&()> codes;  ///< may compute the column at its first use
  Dictionary dictionary;
  /// Of kComputed: may write its text to the buffer.
  std::function<Cell(std::size_t, std::string&)> compute;
  std::string_view about;  ///< one line for the documentation

  bool has_codes() const { return meaning != Meaning::kRowNumber && meaning != Meaning::kComputed; }
  bool is_number() const {
    return meaning == Meaning::kNumber || meaning == Meaning::kNumberOrNull;
  }
  Cell cell_of(std::int64_t code) const {
    switch (meaning) {
      case Meaning::kNumberOrNull: return code < 0 ? Cell::null() : Cell::number(code);
      case Meaning::kDictionary: return dictionary.cell(code);
      default: return Cell::number(code);
    }
  }
};

/// The limits of the blocks of a column, closer than the column knows them once a block was read.
using BlockLimits = std::vector<Column::Limits>;

/// A condition on the numbers of one column that a scan checks.
struct Condition {
  const Column* column = nullptr;
  std::int64_t low = INT64_MIN;  ///< both included
  std::int64_t high = INT64_MAX;
  /// If set: whether each code is wanted; codes past the end are not.
  std::shared_ptr<const std::vector<std::uint8_t>> wanted;
  /// If set: used, and made closer where a block was read in vain. Each block by one thread at a
  /// time.
  BlockLimits* limits = nullptr;
};

/// The distinct codes of a column.
struct DistinctCodes {
  std::vector<std::int64_t> codes;   ///< ascending
  std::int64_t low = 0;              ///< the smallest
  std::vector<std::uint32_t> place;  ///< by code - low: its place in `codes`
};

/// A table: rows 0 to rows() - 1, less those that its own conditions leave out.
struct Relation {
  std::string name;
  std::string_view about;
  std::vector<RelationColumn> columns;
  std::function<std::size_t()> rows;
  std::function<std::vector<Condition>()> conditions;  ///< may be empty
  int sorted_column = -1;                              ///< its numbers are ascending

  std::optional<std::size_t> find(std::string_view column) const;
};

/// The distinct codes of columns, found once each. Columns whose codes are far apart have none.
class DistinctCache {
 public:
  static constexpr std::uint64_t kWidestRange = std::uint64_t{1} << 24;

  const DistinctCodes* of(const Column& column, unsigned threads);

 private:
  std::map<const Column*, std::optional<DistinctCodes>> known_;
};

}  // namespace tactus::sql
