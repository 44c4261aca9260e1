#include "sql/groups/scope.h"

#include <algorithm>
#include <array>

namespace tactus::sql {
namespace {

/// Functions of one row that give the same for the same arguments.
constexpr std::array<std::string_view, 26> kRowFunctions = {
    "abs",   "cast", "coalesce", "format", "hex",    "ifnull", "iif",       "instr",   "length",
    "like",  "glob", "lower",    "ltrim",  "nullif", "printf", "quote",     "replace", "round",
    "rtrim", "sign", "substr",   "trim",   "typeof", "upper",  "substring", "unicode"};
/// Words of the language that may stand before a parenthesis.
constexpr std::array<std::string_view, 9> kWordsBeforeParenthesis = {
    "in", "and", "or", "not", "when", "then", "else", "case", "between"};
constexpr std::array<std::string_view, 28> kExpressionWords = {
    "and",    "or",      "not",    "is",   "null",  "in",      "between", "like",  "glob",  "case",
    "when",   "then",    "else",   "end",  "as",    "asc",     "desc",    "nulls", "first", "last",
    "isnull", "notnull", "escape", "true", "false", "integer", "real",    "text"};

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.is_word(word); });
}

bool same_name(std::string_view a, std::string_view b) {
  return Token{.kind = Token::Kind::kWord, .text = a}.is_word(b);
}

/// The place of a table in the scope.
std::size_t place_of(const Scope& scope, std::size_t column) {
  return static_cast<std::size_t>(&scope.table_of(column) - scope.tables.data());
}

/// `p.id = c.parent_id`: the table of p is looked up by that column.
bool read_link(Tokens term, Scope& scope) {
  std::size_t sign = 0;
  while (sign < term.size() && !term[sign].is_sign("=") && !term[sign].is_sign("==")) ++sign;
  if (sign >= term.size()) return false;
  const std::optional<std::size_t> left = scope.column_of(term.first(sign));
  const std::optional<std::size_t> right = scope.column_of(term.subspan(sign + 1));
  if (!left || !right) return false;
  for (const auto& [id, number] : {std::pair(*left, *right), std::pair(*right, *left)}) {
    Scope::Table& table = scope.tables[place_of(scope, id)];
    const bool is_link = scope.column(id).meaning == Meaning::kRowNumber &&
                         scope.column(number).is_number() && !table.id_column &&
                         place_of(scope, id) != place_of(scope, number);
    if (!is_link) continue;
    table.id_column = number;
    return true;
  }
  return false;
}

/// Finds the one table that is not looked up; all others must lead to it.
bool find_base(Scope& scope) {
  const std::size_t count = scope.tables.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = i;
    for (std::size_t step = 0; step < count && scope.tables[at].id_column; ++step) {
      at = place_of(scope, *scope.tables[at].id_column);
    }
    if (scope.tables[at].id_column || (i != 0 && at != scope.base)) return false;
    scope.base = at;
  }
  return true;
}

}  // namespace

const Scope::Table& Scope::table_of(std::size_t column) const {
  std::size_t place = tables.size() - 1;
  while (tables[place].first_column > column) --place;
  return tables[place];
}

const RelationColumn& Scope::column(std::size_t column) const {
  const Table& table = table_of(column);
  return table.relation->columns[column - table.first_column];
}

std::optional<std::size_t> Scope::find(std::string_view name) const {
  for (const Table& table : tables) {
    if (const auto at = table.relation->find(name)) return table.first_column + *at;
  }
  return std::nullopt;
}

std::optional<std::size_t> Scope::column_of(Tokens tokens) const {
  if (tokens.size() == 3 && tokens[1].is_sign(".") && tokens[2].kind == Token::Kind::kWord) {
    for (const Table& table : tables) {
      if (!tokens[0].is_word(table.alias)) continue;
      const auto at = table.relation->find(tokens[2].text);
      return at ? std::optional(table.first_column + *at) : std::nullopt;
    }
    return std::nullopt;
  }
  if (tokens.size() != 1 || tokens[0].kind != Token::Kind::kWord) return std::nullopt;
  return find(tokens[0].text);
}

bool Scope::read_word(Tokens tokens, std::size_t at, std::optional<std::size_t>& column,
                      std::size_t& width) const {
  width = 1;
  const Token& token = tokens[at];
  if (token.kind != Token::Kind::kWord) return true;
  const bool is_call = at + 1 < tokens.size() && tokens[at + 1].is_sign("(");
  if (is_call) return is_one_of(token, kRowFunctions) || is_one_of(token, kWordsBeforeParenthesis);
  if (at + 2 < tokens.size() && tokens[at + 1].is_sign(".")) {
    column = column_of(tokens.subspan(at, 3));
    width = 3;
    return column.has_value();
  }
  column = find(token.text);
  return column || is_expression_word(token);
}

std::string Scope::text_of(Tokens tokens) const {
  std::string text;
  for (std::size_t i = 0; i < tokens.size();) {
    std::optional<std::size_t> column;
    std::size_t width = 1;
    read_word(tokens, i, column, width);
    text += column ? key_column(*column) + " " : sql::text_of(tokens.subspan(i, width));
    i += width;
  }
  return text;
}

std::string key_column(std::size_t column) {
  return "tactus_key_" + std::to_string(column);
}

std::optional<Scope> read_scope(const Clauses& clauses, const std::vector<Relation>& relations,
                                std::vector<Tokens>& rest) {
  Scope scope;
  std::size_t columns = 0;
  for (const FromTable& from : clauses.tables) {
    const auto relation =
        std::find_if(relations.begin(), relations.end(),
                     [&](const Relation& known) { return same_name(known.name, from.name); });
    const bool is_twice =
        std::any_of(scope.tables.begin(), scope.tables.end(),
                    [&](const Scope::Table& t) { return same_name(t.alias, from.alias); });
    if (relation == relations.end() || is_twice) return std::nullopt;
    scope.tables.push_back(
        {.alias = from.alias, .relation = &*relation, .first_column = columns, .id_column = {}});
    columns += relation->columns.size();
  }
  for (const FromTable& from : clauses.tables) {
    if (from.on.empty()) continue;
    if (split(from.on, "or").size() > 1) return std::nullopt;
    for (const Tokens term : split(from.on, "and")) {
      if (!read_link(term, scope)) rest.push_back(term);
    }
  }
  return find_base(scope) ? std::optional(std::move(scope)) : std::nullopt;
}

bool is_expression_word(const Token& token) {
  return is_one_of(token, kExpressionWords);
}

}  // namespace tactus::sql
