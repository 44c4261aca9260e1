#include "sql/groups/group_query.h"

#include <algorithm>
#include <array>

#include "sql/groups/clauses.h"

namespace tactus::sql {
namespace {

/// Functions of one row that give the same for the same arguments.
constexpr std::array<std::string_view, 26> kRowFunctions = {
    "abs",   "cast", "coalesce", "format", "hex",    "ifnull", "iif",       "instr",   "length",
    "like",  "glob", "lower",    "ltrim",  "nullif", "printf", "quote",     "replace", "round",
    "rtrim", "sign", "substr",   "trim",   "typeof", "upper",  "substring", "unicode"};
/// Words of the language that may stand in an expression.
constexpr std::array<std::string_view, 28> kExpressionWords = {
    "and",    "or",      "not",    "is",   "null",  "in",      "between", "like",  "glob",  "case",
    "when",   "then",    "else",   "end",  "as",    "asc",     "desc",    "nulls", "first", "last",
    "isnull", "notnull", "escape", "true", "false", "integer", "real",    "text"};

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.is_word(word); });
}

/// Understands and rewrites the clauses. Every function is false, or gives nothing, if the query is
/// not a simple one.
class GroupReader {
 public:
  GroupReader(const Clauses& clauses, const Relation& relation) : clauses_(clauses) {
    query_.relation = &relation;
    query_.alias = clauses.alias;
  }

  std::optional<GroupQuery> read() {
    if (!read_items() || !read_groups() || !read_where()) return std::nullopt;
    std::string sql = clauses_.is_distinct ? "SELECT DISTINCT " : "SELECT ";
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::optional<std::string> item = rewrite_item(items_[i]);
      if (!item) return std::nullopt;
      sql += (i == 0 ? "" : ", ") + *item;
    }
    sql += " FROM " + std::string(kGroupTable) + " AS " + std::string(clauses_.alias);
    if (!clauses_.group.empty()) sql += " GROUP BY " + text_of(clauses_.group);
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

  const Relation& relation() const { return *query_.relation; }

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
      if (!item.alias.empty() && relation().find(item.alias)) return false;
      items_.push_back(item);
    }
    return true;
  }

  /// `count(*) n`: a word after the end of an expression.
  static bool has_bare_alias(Tokens tokens) {
    if (tokens.size() < 2 || tokens.back().kind != Token::Kind::kWord) return false;
    if (is_one_of(tokens.back(), kExpressionWords)) return false;
    const Token& before = tokens[tokens.size() - 2];
    if (before.kind == Token::Kind::kSign) return before.is_sign(")");
    return before.kind != Token::Kind::kWord || !is_one_of(before, kExpressionWords);
  }

  /// GROUP BY: columns, expressions, aliases of items, or numbers of items.
  bool read_groups() {
    if (clauses_.group.empty()) return true;
    for (const Tokens term : split(clauses_.group, ",")) {
      if (term.empty()) return false;
      Tokens expression = term;
      if (term.size() == 1 && term[0].kind == Token::Kind::kNumber) {
        const Item* item = numbered_item(term[0].text);
        if (item == nullptr) return false;
        expression = item->expression;
      } else if (term.size() == 1 && !relation().find(term[0].text)) {
        for (const Item& item : items_) {
          if (term[0].is_word(item.alias)) expression = item.expression;
        }
      }
      groups_.push_back(expression);
      if (const std::optional<std::size_t> column = column_of(expression)) {
        grouped_columns_.push_back(*column);
        add_key(*column);
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

  /// `name` or `k.name` as all there is.
  std::optional<std::size_t> column_of(Tokens tokens) const {
    if (tokens.size() == 3 && tokens[1].is_sign(".") && tokens[0].is_word(clauses_.alias)) {
      tokens = tokens.subspan(2);
    }
    if (tokens.size() != 1 || tokens[0].kind != Token::Kind::kWord) return std::nullopt;
    return relation().find(tokens[0].text);
  }

  void add_key(std::size_t column) {
    if (std::find(query_.keys.begin(), query_.keys.end(), column) == query_.keys.end()) {
      query_.keys.push_back(column);
    }
  }

  std::size_t add_value(std::size_t column) {
    const auto at = std::find(query_.values.begin(), query_.values.end(), column);
    if (at != query_.values.end()) return static_cast<std::size_t>(at - query_.values.begin());
    query_.values.push_back(column);
    return query_.values.size() - 1;
  }

  /// The columns of an expression become keys. It may have no sums.
  bool take_key_expression(Tokens tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::size_t width = 1;
      std::optional<std::size_t> column;
      if (!read_word(tokens, i, column, width)) return false;
      if (column) add_key(*column);
      i += width - 1;
    }
    return true;
  }

  /// A token of an expression that is not a sum: a column (one or three tokens), a word, a function
  /// of a row, or anything that is not a word.
  bool read_word(Tokens tokens, std::size_t at, std::optional<std::size_t>& column,
                 std::size_t& width) const {
    width = 1;
    const Token& token = tokens[at];
    if (token.kind != Token::Kind::kWord) return true;
    const bool is_call = at + 1 < tokens.size() && tokens[at + 1].is_sign("(");
    if (is_call) {
      return is_one_of(token, kRowFunctions) || token.is_word("in") || token.is_word("and") ||
             token.is_word("or") || token.is_word("not") || token.is_word("when") ||
             token.is_word("then") || token.is_word("else") || token.is_word("case") ||
             token.is_word("between");
    }
    if (at + 2 < tokens.size() && tokens[at + 1].is_sign(".")) {
      column = column_of(tokens.subspan(at, 3));
      width = 3;
      return column.has_value();
    }
    column = relation().find(token.text);
    return column || is_one_of(token, kExpressionWords);
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
    if (is_group(tokens)) return text_of(tokens);
    std::string text;
    for (std::size_t i = 0; i < tokens.size();) {
      std::size_t width = 0;
      if (const std::optional<std::string> sum = read_sum(tokens.subspan(i), width)) {
        text += *sum + " ";
        has_sums_ = true;
        i += width;
        continue;
      }
      const bool is_alias = knows_aliases && is_alias_at(tokens, i);
      std::optional<std::size_t> column;
      width = 1;
      if (!is_alias && !read_word(tokens, i, column, width)) return std::nullopt;
      if (column && !is_free(*column)) return std::nullopt;
      if (column) add_key(*column);
      text += text_of(tokens.subspan(i, width));
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
      for (const Token& token : tokens) {
        for (const std::string_view sum : {"count", "sum", "avg", "min", "max", "total"}) {
          if (token.is_word(sum)) return true;
        }
      }
    }
    return !clauses_.having.empty();
  }

  /// count(*), count(x), count(DISTINCT x), sum(x), avg(x), min(x), max(x), total(x).
  std::optional<std::string> read_sum(Tokens tokens, std::size_t& width) {
    if (tokens.size() < 4 || tokens[0].kind != Token::Kind::kWord || !tokens[1].is_sign("(")) {
      return std::nullopt;
    }
    const Token& function = tokens[0];
    if (function.is_word("count") && tokens[2].is_sign("*") && tokens[3].is_sign(")")) {
      width = 4;
      return "ifnull(sum(" + std::string(kRowsColumn) + "),0)";
    }
    std::size_t begin = 2;
    const bool is_distinct = tokens[2].is_word("distinct");
    if (is_distinct) ++begin;
    std::size_t end = begin;
    while (end < tokens.size() && !tokens[end].is_sign(")")) ++end;
    if (end == tokens.size()) return std::nullopt;
    const std::optional<std::size_t> column = column_of(tokens.subspan(begin, end - begin));
    if (!column) return std::nullopt;
    width = end + 1;
    return sum_text(function, *column, is_distinct);
  }

  std::optional<std::string> sum_text(const Token& function, std::size_t column, bool is_distinct) {
    const RelationColumn& facts = relation().columns[column];
    const std::string& name = facts.name;
    const std::string qualified = std::string(clauses_.alias) + "." + name;
    if (is_distinct) {
      if (!function.is_word("count")) return std::nullopt;
      add_key(column);
      return "count(DISTINCT " + qualified + ")";
    }
    if (!facts.is_number()) {
      if (!facts.has_codes()) return std::nullopt;
      if (function.is_word("min") || function.is_word("max")) {
        add_key(column);
        return std::string(function.text) + "(" + qualified + ")";
      }
      if (!function.is_word("count")) return std::nullopt;
      add_key(column);
      return "ifnull(sum(iif(" + qualified + " IS NULL,0," + std::string(kRowsColumn) + ")),0)";
    }
    const std::size_t value = add_value(column);
    if (function.is_word("count")) return "ifnull(sum(" + count_column(value) + "),0)";
    if (function.is_word("sum")) return "sum(" + sum_column(value) + ")";
    if (function.is_word("min")) return "min(" + min_column(value) + ")";
    if (function.is_word("max")) return "max(" + max_column(value) + ")";
    query_.needs_sums_as_real = true;
    if (function.is_word("total")) return "total(" + sum_column(value) + ")";
    if (!function.is_word("avg")) return std::nullopt;
    return "(sum(" + sum_column(value) + ")*1.0/sum(" + count_column(value) + "))";
  }

  bool read_where() {
    if (clauses_.where.empty()) return true;
    // AND binds tighter than OR.
    if (split(clauses_.where, "or").size() > 1) return read_code_term(clauses_.where);
    for (const Tokens term : split(clauses_.where, "and")) {
      if (!read_number_term(term) && !read_code_term(term)) return false;
    }
    return true;
  }

  static bool is_constant(Tokens tokens) {
    return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [](const Token& token) {
      if (token.kind == Token::Kind::kNumber) return true;
      for (const std::string_view sign : {"+", "-", "*", "/", "(", ")"}) {
        if (token.is_sign(sign)) return true;
      }
      return false;
    });
  }

  std::optional<std::size_t> number_column(Tokens tokens) const {
    const std::optional<std::size_t> column = column_of(tokens);
    return column && relation().columns[*column].is_number() ? column : std::nullopt;
  }

  /// `ts_ns >= 5 * 1000`, `5000 <= ts_ns`, `ts_ns BETWEEN 1 AND 2`.
  bool read_number_term(Tokens term) {
    for (std::size_t i = 0; i < term.size(); ++i) {
      const std::string sign(term[i].text);
      if (term[i].is_word("between")) {
        const std::optional<std::size_t> column = number_column(term.first(i));
        std::size_t middle = i + 1;
        while (middle < term.size() && !term[middle].is_word("and")) ++middle;
        if (!column || middle == term.size()) return false;
        const Tokens low = term.subspan(i + 1, middle - i - 1);
        const Tokens high = term.subspan(middle + 1);
        if (!is_constant(low) || !is_constant(high)) return false;
        query_.number_terms.push_back({*column, ">=", text_of(low)});
        query_.number_terms.push_back({*column, "<=", text_of(high)});
        return true;
      }
      const bool is_comparison =
          sign == "<" || sign == "<=" || sign == ">" || sign == ">=" || sign == "=" || sign == "==";
      if (term[i].kind != Token::Kind::kSign || !is_comparison) continue;
      const Tokens left = term.first(i);
      const Tokens right = term.subspan(i + 1);
      if (const auto column = number_column(left); column && is_constant(right)) {
        query_.number_terms.push_back({*column, sign, text_of(right)});
        return true;
      }
      if (const auto column = number_column(right); column && is_constant(left)) {
        query_.number_terms.push_back({*column, mirrored(sign), text_of(left)});
        return true;
      }
      return false;
    }
    return false;
  }

  static std::string mirrored(const std::string& sign) {
    if (sign == "<") return ">";
    if (sign == "<=") return ">=";
    if (sign == ">") return "<";
    if (sign == ">=") return "<=";
    return sign;
  }

  bool read_code_term(Tokens term) {
    CodeTerm condition{.columns = {}, .text = text_of(term)};
    for (std::size_t i = 0; i < term.size(); ++i) {
      std::optional<std::size_t> column;
      std::size_t width = 1;
      if (!read_word(term, i, column, width)) return false;
      i += width - 1;
      if (!column) continue;
      if (!relation().columns[*column].has_codes()) return false;
      condition.columns.push_back(*column);
    }
    if (condition.columns.empty()) return false;
    query_.code_terms.push_back(std::move(condition));
    return true;
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
  std::vector<std::size_t> grouped_columns_;
  bool has_sums_ = false;
};

}  // namespace

std::string count_column(std::size_t value) {
  return "tactus_count_" + std::to_string(value);
}
std::string sum_column(std::size_t value) {
  return "tactus_sum_" + std::to_string(value);
}
std::string min_column(std::size_t value) {
  return "tactus_min_" + std::to_string(value);
}
std::string max_column(std::size_t value) {
  return "tactus_max_" + std::to_string(value);
}

std::optional<GroupQuery> read_group_query(std::string_view query,
                                           const std::vector<Relation>& relations) {
  const std::optional<std::vector<Token>> tokens = cut_tokens(query);
  if (!tokens) return std::nullopt;
  const std::optional<Clauses> clauses = read_clauses(*tokens);
  if (!clauses) return std::nullopt;
  for (const Relation& relation : relations) {
    const Token name{.kind = Token::Kind::kWord, .text = clauses->table};
    if (name.is_word(relation.name)) return GroupReader(*clauses, relation).read();
  }
  return std::nullopt;
}

}  // namespace tactus::sql
