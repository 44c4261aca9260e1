#pragma once

#include <string>
#include <vector>

#include "sql/groups/scope.h"

namespace tactus::sql {

/// A column whose numbers are summed up per group, and what is needed of them.
struct ValueColumn {
  std::size_t column = 0;
  bool needs_sum = false;
  bool needs_limits = false;  ///< the smallest and the largest
  bool needs_all = false;     ///< each number, for percentiles
};

/// What the functions of a query that take many rows (count, sum, percentile, ...) need.
struct Sums {
  std::vector<std::size_t> keys;  ///< columns that tell groups apart
  std::vector<ValueColumn> values;
  bool needs_sums_as_real = false;  ///< avg or total: sums must be exact in a double

  void add_key(std::size_t column);
};

/// Names of columns of the small table besides the keys.
inline constexpr std::string_view kRowsColumn = "tactus_rows";
inline constexpr std::string_view kGroupColumn = "tactus_group";  ///< the number of the group
std::string count_column(std::size_t value);
std::string sum_column(std::size_t value);
std::string min_column(std::size_t value);
std::string max_column(std::size_t value);

/// Reads count(*), count(x), count(DISTINCT x), sum(x), avg(x), min(x), max(x), total(x), median(x)
/// or percentile(x, 99) at the begin of the tokens; gives the same over the small table, and the
/// number of tokens in `width`.
std::optional<std::string> read_sum(Tokens tokens, const Scope& scope, Sums& sums,
                                    std::size_t& width);

/// Whether a word is the name of such a function.
bool is_sum_word(const Token& token);

}  // namespace tactus::sql
