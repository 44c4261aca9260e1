#pragma once

#include <string>
#include <vector>

#include "sql/groups/scope.h"

namespace tactus::sql {

/// A condition `column comparison constant` of a query, before its constant is known.
struct NumberTerm {
  std::size_t column = 0;
  std::string comparison;  ///< "=", "<", "<=", ">", ">="
  std::string constant;    ///< an expression of numbers
};

/// A condition on one column, as text.
struct CodeTerm {
  std::vector<std::size_t> columns;  ///< all must have the same codes
  std::string text;
};

struct WhereTerms {
  std::vector<NumberTerm> numbers;
  std::vector<CodeTerm> codes;
};

/// Reads a condition and adds its terms; false if it is not one that can be checked by column.
bool read_where(Tokens where, const Scope& scope, WhereTerms& terms);

/// An expression of numbers alone.
bool is_constant(Tokens tokens);

}  // namespace tactus::sql
