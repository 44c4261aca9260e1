#include "sql/groups/group_query.h"

#include <algorithm>

namespace tactus::sql {
namespace {

/// Understands and rewrites the clauses. Every function is false, or gives nothing, if the query is
/// not a simple one.
class GroupReader {
 public:
  GroupReader(const Clauses& clauses, Scope scope) : clauses_(clauses) {
    query_.scope = std::move(scope);
  }

  std::optional<GroupQuery> read(const std::vector<Tokens>& conditions) {
    if (!read_items() || !read_groups()) return std::nullopt;
    for (const Tokens condition : conditions) {
      if (!read_where(condition, query_.scope, query_.terms)) return std::nullopt;
    }
    std::string sql = clauses_.is_distinct ? "SELECT DISTINCT " : "SELECT ";
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::optional<std::string> item = rewrite_item(items_[i]);
      if (!item) return std::nullopt;
      sql += (i == 0 ? "" : ", ") + *item;
    }
    sql += " FROM " + std::string(kGroupTable) + group_text_;
    if (!clauses_.having.empty()) {
      const std::optional<std::string> having = rewrite(clauses_.having, true);
      if (!having) return std::nullopt;
      sql += " HAVING " + *having;
    }
    if (!rewrite_order(sql) || !read_limit(sql)) return std::nullopt;
    // Without groups and sums, rows would be shown as they are, unless DISTINCT makes groups.
    if (!has_sums_ && clauses_.group.empty() && !clauses_.is_distinct) return std::nullopt;
    query_.rewritten = std::move(sql);
    return std::move(query_);
  }

 private:
  struct Item {
    Tokens expression;
    std::string_view alias;
  };

  bool read_items() {
    for (Tokens tokens : split(clauses_.items, ",")) {
      Item item;
      if (tokens.size() >= 3 && tokens[tokens.size() - 2].is_word("as")) {
        if (tokens.back().kind != Token::Kind::kWord) return false;
        item.alias = tokens.back().text;
        tokens = tokens.first(tokens.size() - 2);
      }
      if (has_bare_alias(tokens)) {
        item.alias = tokens.back().text;
        tokens = tokens.first(tokens.size() - 1);
      }
      if (tokens.empty() || (tokens.size() == 1 && tokens[0].is_sign("*"))) return false;
      item.expression = tokens;
      // A name that could be either is a riddle that SQLite solves by where it stands.
      if (!item.alias.empty() && query_.scope.find(item.alias)) return false;
      items_.push_back(item);
    }
    return true;
  }

  /// `count(*) n`: a word after the end of an expression.
  static bool has_bare_alias(Tokens tokens) {
    if (tokens.size() < 2 || tokens.back().kind != Token::Kind::kWord) return false;
    if (is_expression_word(tokens.back())) return false;
    const Token& before = tokens[tokens.size() - 2];
    if (before.kind == Token::Kind::kSign) return before.is_sign(")");
    return before.kind != Token::Kind::kWord || !is_expression_word(before);
  }

  /// GROUP BY: columns, expressions, aliases of items, or numbers of items.
  bool read_groups() {
    if (clauses_.group.empty()) return true;
    group_text_ = " GROUP BY ";
    for (const Tokens term : split(clauses_.group, ",")) {
      if (term.empty()) return false;
      Tokens expression = term;
      bool is_item = false;
      if (term.size() == 1 && term[0].kind == Token::Kind::kNumber) {
        const Item* item = numbered_item(term[0].text);
        if (item == nullptr) return false;
        expression = item->expression;
        is_item = true;
      } else if (term.size() == 1 && !query_.scope.find(term[0].text)) {
        for (const Item& item : items_) {
          if (!term[0].is_word(item.alias)) continue;
          expression = item.expression;
          is_item = true;
        }
      }
      group_text_ += (groups_.empty() ? "" : ", ") +
                     (is_item ? text_of(term) : query_.scope.text_of(expression));
      groups_.push_back(expression);
      if (const std::optional<std::size_t> column = query_.scope.column_of(expression)) {
        grouped_columns_.push_back(*column);
        query_.sums.add_key(*column);
      } else if (!take_key_expression(expression)) {
        return false;
      }
    }
    return true;
  }

  const Item* numbered_item(std::string_view number) const {
    std::size_t place = 0;
    for (const char c : number) {
      if (c < '0' || c > '9' || place > items_.size()) return nullptr;
      place = place * 10 + static_cast<std::size_t>(c - '0');
    }
    return place >= 1 && place <= items_.size() ? &items_[place - 1] : nullptr;
  }

  /// The columns of an expression become keys. It may have no sums.
  bool take_key_expression(Tokens tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::size_t width = 1;
      std::optional<std::size_t> column;
      if (!query_.scope.read_word(tokens, i, column, width)) return false;
      if (column) query_.sums.add_key(*column);
      i += width - 1;
    }
    return true;
  }

  std::optional<std::string> rewrite_item(const Item& item) {
    std::optional<std::string> text = rewrite(item.expression, false);
    if (text && !item.alias.empty()) *text += "AS " + std::string(item.alias);
    return text;
  }

  bool rewrite_order(std::string& sql) {
    if (clauses_.order.empty()) return true;
    std::string_view separator = " ORDER BY ";
    for (const Tokens term : split(clauses_.order, ",")) {
      std::size_t end = term.size();
      while (end > 0 && (term[end - 1].is_word("asc") || term[end - 1].is_word("desc") ||
                         term[end - 1].is_word("nulls") || term[end - 1].is_word("first") ||
                         term[end - 1].is_word("last"))) {
        --end;
      }
      const std::optional<std::string> text = rewrite(term.first(end), true);
      if (!text) return false;
      sql += std::string(separator) + *text + text_of(term.subspan(end));
      separator = ", ";
    }
    return true;
  }

  bool is_group(Tokens expression) const {
    return std::any_of(groups_.begin(), groups_.end(),
                       [&](Tokens group) { return same_tokens(group, expression); });
  }

  /// Replaces count(), sum() and so on by sums over the small table.
  std::optional<std::string> rewrite(Tokens tokens, bool knows_aliases) {
    if (is_group(tokens)) return query_.scope.text_of(tokens);
    std::string text;
    for (std::size_t i = 0; i < tokens.size();) {
      std::size_t width = 0;
      if (const auto sum = read_sum(tokens.subspan(i), query_.scope, query_.sums, width)) {
        text += *sum + " ";
        has_sums_ = true;
        i += width;
        continue;
      }
      width = 1;
      if (knows_aliases && is_alias_at(tokens, i)) {
        text += text_of(tokens.subspan(i, width));
      } else {
        std::optional<std::size_t> column;
        if (!query_.scope.read_word(tokens, i, column, width)) return std::nullopt;
        if (column && !is_free(*column)) return std::nullopt;
        if (column) query_.sums.add_key(*column);
        text += query_.scope.text_of(tokens.subspan(i, width));
      }
      i += width;
    }
    return text;
  }

  bool is_alias_at(Tokens tokens, std::size_t at) const {
    const bool goes_on =
        at + 1 < tokens.size() && (tokens[at + 1].is_sign("(") || tokens[at + 1].is_sign("."));
    return !goes_on && std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
      return !item.alias.empty() && tokens[at].is_word(item.alias);
    });
  }

  /// A column outside of sums must have one value per group.
  bool is_free(std::size_t column) const {
    if (clauses_.group.empty()) return clauses_.is_distinct && !clause_has_sums();
    return std::find(grouped_columns_.begin(), grouped_columns_.end(), column) !=
           grouped_columns_.end();
  }

  /// SELECT DISTINCT name, count(*) without GROUP BY has one group of all rows.
  bool clause_has_sums() const {
    for (const Tokens tokens : {clauses_.items, clauses_.having, clauses_.order}) {
      if (std::any_of(tokens.begin(), tokens.end(), is_sum_word)) return true;
    }
    return !clauses_.having.empty();
  }

  bool read_limit(std::string& sql) const {
    if (clauses_.limit.empty()) return true;
    for (const Token& token : clauses_.limit) {
      const bool is_known = token.kind == Token::Kind::kNumber || token.is_word("offset") ||
                            token.is_sign(",") || token.is_sign("-");
      if (!is_known) return false;
    }
    sql += " LIMIT " + text_of(clauses_.limit);
    return true;
  }

  const Clauses& clauses_;
  GroupQuery query_;
  std::vector<Item> items_;
  std::vector<Tokens> groups_;
  std::string group_text_;
  std::vector<std::size_t> grouped_columns_;
  bool has_sums_ = false;
};

/// Such names are those of the small tables.
bool is_reserved(const Token& token) {
  return token.kind == Token::Kind::kWord && token.text.size() >= 7 &&
         Token{.kind = Token::Kind::kWord, .text = token.text.substr(0, 7)}.is_word("tactus_");
}

}  // namespace

std::optional<GroupQuery> read_group_query(std::string_view query,
                                           const std::vector<Relation>& relations) {
  const std::optional<std::vector<Token>> tokens = cut_tokens(query);
  if (!tokens || std::any_of(tokens->begin(), tokens->end(), is_reserved)) return std::nullopt;
  const std::optional<Clauses> clauses = read_clauses(*tokens);
  if (!clauses) return std::nullopt;
  std::vector<Tokens> conditions;
  std::optional<Scope> scope = read_scope(*clauses, relations, conditions);
  if (!scope) return std::nullopt;
  if (!clauses->where.empty()) conditions.push_back(clauses->where);
  return GroupReader(*clauses, std::move(*scope)).read(conditions);
}

}  // namespace tactus::sql
