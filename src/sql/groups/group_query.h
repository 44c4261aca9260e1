#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/groups/tokens.h"
#include "sql/relation.h"

namespace tactus::sql {

/// A condition `column comparison constant` of a query, before its constant is known.
struct NumberTerm {
  std::size_t column = 0;
  std::string comparison;  ///< "=", "<", "<=", ">", ">="
  std::string constant;    ///< an expression of numbers
};

/// A condition on one column, as text.
struct CodeTerm {
  std::vector<std::size_t> columns;  ///< of the table; all have the same codes
  std::string text;
};

/// A query over one table whose answer follows from sums per group: `SELECT name, count(*),
/// sum(dur_ns) FROM kernels WHERE ts_ns < 1e9 GROUP BY name ORDER BY 3 DESC LIMIT 10`.
///
/// The groups become a small table. `rewritten` is the same query over that table, so that SQLite
/// still does all else: expressions, HAVING, ORDER BY, LIMIT.
struct GroupQuery {
  const Relation* relation = nullptr;
  std::string alias;                ///< the name of the table in the query
  std::vector<std::size_t> keys;    ///< columns that tell groups apart
  std::vector<std::size_t> values;  ///< columns that are summed
  bool needs_sums_as_real = false;  ///< avg or total: sums must be exact in a double
  std::vector<NumberTerm> number_terms;
  std::vector<CodeTerm> code_terms;
  std::string rewritten;
};

/// Names of the small table and of its columns besides the keys.
inline constexpr std::string_view kGroupTable = "temp.tactus_groups";
inline constexpr std::string_view kRowsColumn = "tactus_rows";
std::string count_column(std::size_t value);
std::string sum_column(std::size_t value);
std::string min_column(std::size_t value);
std::string max_column(std::size_t value);

/// The query as groups; nothing if it is any other query. It must be one that SQLite accepts.
std::optional<GroupQuery> read_group_query(std::string_view query,
                                           const std::vector<Relation>& relations);

}  // namespace tactus::sql
