#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sql/groups/tokens.h"

namespace tactus::sql {

/// A table of FROM.
struct FromTable {
  std::string_view name, alias;  ///< the alias is the name if there is none
  Tokens on;                     ///< of a JOIN
};

/// The query cut at the words that begin its parts.
struct Clauses {
  bool is_distinct = false;
  Tokens items, where, group, having, order, limit;
  std::vector<FromTable> tables;
};

/// The clauses of a query over one table, or over several with JOIN ... ON; nothing for any other
/// query.
std::optional<Clauses> read_clauses(Tokens tokens);

/// Cuts at a sign or word outside of parentheses and CASE ... END. The AND of a BETWEEN is not cut.
std::vector<Tokens> split(Tokens tokens, std::string_view separator);

}  // namespace tactus::sql
