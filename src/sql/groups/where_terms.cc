#include "sql/groups/where_terms.h"

#include <algorithm>

namespace tactus::sql {
namespace {

std::string mirrored(const std::string& sign) {
  if (sign == "<") return ">";
  if (sign == "<=") return ">=";
  if (sign == ">") return "<";
  if (sign == ">=") return "<=";
  return sign;
}

std::optional<std::size_t> number_column(Tokens tokens, const Scope& scope) {
  const std::optional<std::size_t> column = scope.column_of(tokens);
  return column && scope.column(*column).is_number() ? column : std::nullopt;
}

/// `ts_ns BETWEEN 1 AND 2`; the word is at `at`.
bool read_between(Tokens term, std::size_t at, const Scope& scope, WhereTerms& terms) {
  const std::optional<std::size_t> column = number_column(term.first(at), scope);
  std::size_t middle = at + 1;
  while (middle < term.size() && !term[middle].is_word("and")) ++middle;
  if (!column || middle == term.size()) return false;
  const Tokens low = term.subspan(at + 1, middle - at - 1);
  const Tokens high = term.subspan(middle + 1);
  if (!is_constant(low) || !is_constant(high)) return false;
  terms.numbers.push_back({*column, ">=", text_of(low)});
  terms.numbers.push_back({*column, "<=", text_of(high)});
  return true;
}

/// `ts_ns >= 5 * 1000`, `5000 <= ts_ns`, `ts_ns BETWEEN 1 AND 2`.
bool read_number_term(Tokens term, const Scope& scope, WhereTerms& terms) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i].is_word("between")) return read_between(term, i, scope, terms);
    const std::string sign(term[i].text);
    const bool is_comparison =
        sign == "<" || sign == "<=" || sign == ">" || sign == ">=" || sign == "=" || sign == "==";
    if (term[i].kind != Token::Kind::kSign || !is_comparison) continue;
    const Tokens left = term.first(i);
    const Tokens right = term.subspan(i + 1);
    if (const auto column = number_column(left, scope); column && is_constant(right)) {
      terms.numbers.push_back({*column, sign, text_of(right)});
      return true;
    }
    if (const auto column = number_column(right, scope); column && is_constant(left)) {
      terms.numbers.push_back({*column, mirrored(sign), text_of(left)});
      return true;
    }
    return false;
  }
  return false;
}

bool read_code_term(Tokens term, const Scope& scope, WhereTerms& terms) {
  CodeTerm condition{.columns = {}, .text = scope.text_of(term)};
  for (std::size_t i = 0; i < term.size(); ++i) {
    std::optional<std::size_t> column;
    std::size_t width = 1;
    if (!scope.read_word(term, i, column, width)) return false;
    i += width - 1;
    if (!column) continue;
    if (!scope.column(*column).has_codes()) return false;
    condition.columns.push_back(*column);
  }
  if (condition.columns.empty()) return false;
  terms.codes.push_back(std::move(condition));
  return true;
}

}  // namespace

bool read_where(Tokens where, const Scope& scope, WhereTerms& terms) {
  // AND binds tighter than OR.
  if (split(where, "or").size() > 1) return read_code_term(where, scope, terms);
  for (const Tokens term : split(where, "and")) {
    if (!read_number_term(term, scope, terms) && !read_code_term(term, scope, terms)) return false;
  }
  return true;
}

bool is_constant(Tokens tokens) {
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [](const Token& token) {
    if (token.kind == Token::Kind::kNumber) return true;
    for (const std::string_view sign : {"+", "-", "*", "/", "(", ")"}) {
      if (token.is_sign(sign)) return true;
    }
    return false;
  });
}

}  // namespace tactus::sql
