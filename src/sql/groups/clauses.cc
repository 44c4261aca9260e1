#include "sql/groups/clauses.h"

#include <algorithm>

namespace tactus::sql {
namespace {

/// Reads the clauses in their order. Any word that a simple query does not have ends it.
class ClauseReader {
 public:
  explicit ClauseReader(Tokens tokens) : tokens_(tokens) {}

  std::optional<Clauses> read() {
    while (!tokens_.empty() && tokens_.back().is_sign(";"))
      tokens_ = tokens_.first(tokens_.size() - 1);
    if (!take("select")) return std::nullopt;
    Clauses clauses;
    clauses.is_distinct = take("distinct");
    clauses.items = until({"from"});
    if (!take("from") || !read_tables(clauses)) return std::nullopt;
    if (take("where")) clauses.where = until({"group", "having", "order", "limit"});
    if (take("group")) {
      if (!take("by")) return std::nullopt;
      clauses.group = until({"having", "order", "limit"});
      if (clauses.group.empty()) return std::nullopt;
    }
    if (take("having")) clauses.having = until({"order", "limit"});
    if (take("order")) {
      if (!take("by")) return std::nullopt;
      clauses.order = until({"limit"});
    }
    if (take("limit")) clauses.limit = tokens_.subspan(at_);
    const bool is_read = at_ == tokens_.size() || !clauses.limit.empty();
    return is_read ? std::optional(clauses) : std::nullopt;
  }

 private:
  bool take(std::string_view word) {
    if (at_ >= tokens_.size() || !tokens_[at_].is_word(word)) return false;
    ++at_;
    return true;
  }

  Tokens until(std::initializer_list<std::string_view> words) {
    const std::size_t begin = at_;
    for (int depth = 0; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      if (token.is_sign("(")) ++depth;
      if (token.is_sign(")")) --depth;
      if (depth == 0 && std::any_of(words.begin(), words.end(),
                                    [&](std::string_view word) { return token.is_word(word); })) {
        break;
      }
    }
    return tokens_.subspan(begin, at_ - begin);
  }

  bool read_tables(Clauses& clauses) {
    if (!read_table(clauses)) return false;
    for (;;) {
      const bool says_inner = take("inner");
      if (!take("join")) return !says_inner && (at_ == tokens_.size() || begins_clause());
      if (!read_table(clauses) || !take("on")) return false;
      clauses.tables.back().on = until({"join", "inner", "left", "right", "full", "cross",
                                        "natural", "where", "group", "having", "order", "limit"});
    }
  }

  bool read_table(Clauses& clauses) {
    if (!is_name()) return false;
    FromTable& table = clauses.tables.emplace_back();
    table.name = table.alias = tokens_[at_++].text;
    const bool says_as = take("as");
    if (is_name()) {
      table.alias = tokens_[at_++].text;
    } else if (says_as) {
      return false;
    }
    return true;
  }

  bool begins_clause() const { return is_one_of({"where", "group", "having", "order", "limit"}); }

  /// A word that is not one of the language, here.
  bool is_name() const {
    return at_ < tokens_.size() && tokens_[at_].kind == Token::Kind::kWord && !begins_clause() &&
           !is_one_of({"join", "inner", "left", "right", "full", "outer", "cross", "natural", "on",
                       "using", "indexed", "not", "as"});
  }

  bool is_one_of(std::initializer_list<std::string_view> words) const {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return tokens_[at_].is_word(word); });
  }

  Tokens tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Clauses> read_clauses(Tokens tokens) {
  return ClauseReader(tokens).read();
}

std::vector<Tokens> split(Tokens tokens, std::string_view separator) {
  std::vector<Tokens> parts;
  std::size_t begin = 0;
  int depth = 0;
  bool in_between = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is_sign("(") || token.is_word("case")) ++depth;
    if (token.is_sign(")") || token.is_word("end")) --depth;
    if (depth != 0) continue;
    if (token.is_word("between")) in_between = true;
    const bool is_and = token.is_word("and");
    if (is_and && in_between) {
      in_between = false;
      continue;
    }
    if (!token.is_sign(separator) && !token.is_word(separator)) continue;
    parts.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(tokens.subspan(begin));
  return parts;
}

}  // namespace tactus::sql
