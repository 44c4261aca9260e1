#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/groups/clauses.h"
#include "sql/relation.h"

namespace tactus::sql {

/// The tables of a query seen as one: the rows of the base, with the columns of all tables. A row
/// of any other table is looked up by its id: `slices c JOIN slices p ON p.id = c.parent_id`.
struct Scope {
  struct Table {
    std::string_view alias;
    const Relation* relation = nullptr;
    std::size_t first_column = 0;          ///< of the scope
    std::optional<std::size_t> id_column;  ///< of the scope: the id to look up; not for the base
  };
  std::vector<Table> tables;
  std::size_t base = 0;

  const Table& table_of(std::size_t column) const;
  const RelationColumn& column(std::size_t column) const;
  std::optional<std::size_t> find(std::string_view name) const;
  /// `name` or `k.name` as all there is.
  std::optional<std::size_t> column_of(Tokens tokens) const;

  /// A token of an expression that is not a sum: a column (one or three tokens), a word, a function
  /// of a row, or anything that is not a word. False if it is neither.
  bool read_word(Tokens tokens, std::size_t at, std::optional<std::size_t>& column,
                 std::size_t& width) const;
  /// An expression with the names that its columns have in small tables.
  std::string text_of(Tokens tokens) const;
};

/// The name of a column of the scope in small tables.
std::string key_column(std::size_t column);

/// Finds the tables. `rest` gets the conditions of ON that only leave rows out.
std::optional<Scope> read_scope(const Clauses& clauses, const std::vector<Relation>& relations,
                                std::vector<Tokens>& rest);

/// A word of the language that may stand in an expression.
bool is_expression_word(const Token& token);

}  // namespace tactus::sql
