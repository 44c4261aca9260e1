#include "sql/groups/sums.h"

#include <algorithm>

#include "sql/groups/percentiles.h"
#include "sql/groups/where_terms.h"

namespace tactus::sql {
namespace {

std::size_t add_value(std::size_t column, Sums& sums) {
  const auto at = std::find_if(sums.values.begin(), sums.values.end(),
                               [&](const ValueColumn& value) { return value.column == column; });
  if (at != sums.values.end()) return static_cast<std::size_t>(at - sums.values.begin());
  sums.values.push_back({.column = column});
  return sums.values.size() - 1;
}

/// Of columns that are not numbers, texts above all.
std::optional<std::string> sum_of_codes(const Token& function, std::size_t column,
                                        const Scope& scope, Sums& sums) {
  if (!scope.column(column).has_codes()) return std::nullopt;
  const std::string key = key_column(column);
  if (function.is_word("min") || function.is_word("max")) {
    sums.add_key(column);
    return std::string(function.text) + "(" + key + ")";
  }
  if (!function.is_word("count")) return std::nullopt;
  sums.add_key(column);
  return "ifnull(sum(iif(" + key + " IS NULL,0," + std::string(kRowsColumn) + ")),0)";
}

std::optional<std::string> sum_of_numbers(const Token& function, std::size_t column, Sums& sums) {
  const std::size_t place = add_value(column, sums);
  ValueColumn& value = sums.values[place];
  if (function.is_word("count")) return "ifnull(sum(" + count_column(place) + "),0)";
  if (function.is_word("min") || function.is_word("max")) {
    value.needs_limits = true;
    return function.is_word("min") ? "min(" + min_column(place) + ")"
                                   : "max(" + max_column(place) + ")";
  }
  value.needs_sum = true;
  if (function.is_word("sum")) return "sum(" + sum_column(place) + ")";
  sums.needs_sums_as_real = true;
  if (function.is_word("total")) return "total(" + sum_column(place) + ")";
  if (!function.is_word("avg")) return std::nullopt;
  return "(sum(" + sum_column(place) + ")*1.0/sum(" + count_column(place) + "))";
}

/// median(x) or percentile(x, 99).
std::optional<std::string> percentile_text(const Token& function, Tokens arguments,
                                           const Scope& scope, Sums& sums) {
  const std::vector<Tokens> parts = split(arguments, ",");
  if (parts.size() != (function.is_word("median") ? 1 : 2)) return std::nullopt;
  const std::optional<std::size_t> column = scope.column_of(parts[0]);
  if (!column || !scope.column(*column).is_number()) return std::nullopt;
  if (parts.size() == 2 && !is_constant(parts[1])) return std::nullopt;
  const std::size_t place = add_value(*column, sums);
  sums.values[place].needs_all = true;
  return std::string(kPercentileFunction) + "(" + std::string(kGroupColumn) + "," +
         std::to_string(place) + "," + (parts.size() == 2 ? text_of(parts[1]) : "50") + ")";
}

}  // namespace

void Sums::add_key(std::size_t column) {
  if (std::find(keys.begin(), keys.end(), column) == keys.end()) keys.push_back(column);
}

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

std::optional<std::string> read_sum(Tokens tokens, const Scope& scope, Sums& sums,
                                    std::size_t& width) {
  if (tokens.size() < 4 || !is_sum_word(tokens[0]) || !tokens[1].is_sign("(")) return std::nullopt;
  const Token& function = tokens[0];
  std::size_t end = 2;
  for (int depth = 1; end < tokens.size(); ++end) {
    depth += tokens[end].is_sign("(") ? 1 : tokens[end].is_sign(")") ? -1 : 0;
    if (depth == 0) break;
  }
  if (end >= tokens.size()) return std::nullopt;
  width = end + 1;
  Tokens arguments = tokens.subspan(2, end - 2);
  if (arguments.empty()) return std::nullopt;
  if (function.is_word("count") && arguments.size() == 1 && arguments[0].is_sign("*")) {
    return "ifnull(sum(" + std::string(kRowsColumn) + "),0)";
  }
  if (function.is_word("percentile") || function.is_word("median")) {
    return percentile_text(function, arguments, scope, sums);
  }
  const bool is_distinct = arguments[0].is_word("distinct");
  if (is_distinct) arguments = arguments.subspan(1);
  const std::optional<std::size_t> column = scope.column_of(arguments);
  if (!column) return std::nullopt;
  if (is_distinct) {
    if (!function.is_word("count")) return std::nullopt;
    sums.add_key(*column);
    return "count(DISTINCT " + key_column(*column) + ")";
  }
  return scope.column(*column).is_number() ? sum_of_numbers(function, *column, sums)
                                           : sum_of_codes(function, *column, scope, sums);
}

bool is_sum_word(const Token& token) {
  for (const std::string_view sum :
       {"count", "sum", "avg", "min", "max", "total", "median", "percentile"}) {
    if (token.is_word(sum)) return true;
  }
  return false;
}

}  // namespace tactus::sql
