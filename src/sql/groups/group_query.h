#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/groups/scope.h"
#include "sql/groups/sums.h"
#include "sql/groups/where_terms.h"

namespace tactus::sql {

/// A query whose answer follows from sums per group: `SELECT name, count(*), sum(dur_ns) FROM
/// kernels WHERE ts_ns < 1e9 GROUP BY name ORDER BY 3 DESC LIMIT 10`.
///
/// The groups become a small table. `rewritten` is the same query over that table, so that SQLite
/// still does all else: expressions, HAVING, ORDER BY, LIMIT.
struct GroupQuery {
  Scope scope;
  Sums sums;
  WhereTerms terms;
  std::string rewritten;
};

inline constexpr std::string_view kGroupTable = "temp.tactus_groups";

/// The query as groups; nothing if it is any other query. It must be one that SQLite accepts. The
/// result refers to the text of the query.
std::optional<GroupQuery> read_group_query(std::string_view query,
                                           const std::vector<Relation>& relations);

}  // namespace tactus::sql
