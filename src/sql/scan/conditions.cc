#include "sql/scan/conditions.h"

#include <cmath>
#include <functional>
#include <string>

namespace tactus::sql {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

std::string_view text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr
             ? std::string_view()
             : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

/// True if the cell may compare so with the value; false only if it certainly does not.
bool may_match(const Cell& cell, Comparison comparison, sqlite3_value* value) {
  if (comparison == Comparison::kIsNull) return cell.type == Cell::Type::kNull;
  if (comparison == Comparison::kIsNotNull) return cell.type != Cell::Type::kNull;
  if (cell.type == Cell::Type::kNull) return false;
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return false;
  switch (comparison) {
    case Comparison::kEqual:
      if (cell.type == Cell::Type::kText && type == SQLITE_TEXT) {
        return cell.text == text_of(value);
      }
      if (cell.type == Cell::Type::kInteger && type == SQLITE_INTEGER) {
        return cell.integer == sqlite3_value_int64(value);
      }
      return true;
    case Comparison::kLike:
    case Comparison::kGlob: {
      if (cell.type != Cell::Type::kText || type != SQLITE_TEXT) return true;
      const std::string pattern(text_of(value));
      const std::string text(cell.text);
      return comparison == Comparison::kLike
                 ? sqlite3_strlike(pattern.c_str(), text.c_str(), 0) == 0
                 : sqlite3_strglob(pattern.c_str(), text.c_str()) == 0;
    }
    default: return true;
  }
}

/// The codes whose cells pass the test.
std::optional<Condition> codes_that(Engine& engine, const RelationColumn& column,
                                    const std::function<bool(const Cell&)>& test) {
  const Column& codes = column.codes();
  const DistinctCodes* distinct = engine.distinct.of(codes, engine.threads);
  if (distinct == nullptr) return std::nullopt;
  auto wanted = std::make_shared<std::vector<std::uint8_t>>();
  for (const std::int64_t code : distinct->codes) {
    if (!test(column.cell_of(code))) continue;
    if (code < 0) return std::nullopt;  // has no place in the list
    wanted->resize(static_cast<std::size_t>(code) + 1, 0);
    wanted->back() = 1;
  }
  return Condition{.column = &codes, .wanted = std::move(wanted)};
}

}  // namespace

IntegerRange range_of(Comparison comparison, std::int64_t number) {
  switch (comparison) {
    case Comparison::kEqual: return {.low = number, .high = number};
    case Comparison::kLess:
      return number == INT64_MIN ? IntegerRange::none() : IntegerRange{.high = number - 1};
    case Comparison::kLessEqual: return {.high = number};
    case Comparison::kGreater:
      return number == INT64_MAX ? IntegerRange::none() : IntegerRange{.low = number + 1};
    case Comparison::kGreaterEqual: return {.low = number};
    default: return {};
  }
}

IntegerRange range_of(Comparison comparison, double number) {
  if (std::isnan(number)) return IntegerRange::none();
  const bool is_above = number >= kTwoTo63;
  const bool is_below = number < -kTwoTo63;
  const bool wants_less = comparison == Comparison::kLess || comparison == Comparison::kLessEqual;
  if (is_above || is_below) {
    const bool are_all = comparison != Comparison::kEqual && wants_less == is_above;
    return are_all ? IntegerRange{} : IntegerRange::none();
  }
  const double whole = std::floor(number);
  const auto floor = static_cast<std::int64_t>(whole);
  const bool is_whole = whole == number;
  switch (comparison) {
    case Comparison::kEqual: return is_whole ? range_of(comparison, floor) : IntegerRange::none();
    case Comparison::kLess:
      return is_whole ? range_of(comparison, floor) : IntegerRange{.high = floor};
    case Comparison::kLessEqual: return {.high = floor};
    case Comparison::kGreater: return range_of(comparison, floor);
    case Comparison::kGreaterEqual:
      return range_of(is_whole ? comparison : Comparison::kGreater, floor);
    default: return {};
  }
}

std::optional<IntegerRange> range_of(Comparison comparison, sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return range_of(comparison, std::int64_t{sqlite3_value_int64(value)});
    case SQLITE_FLOAT: return range_of(comparison, sqlite3_value_double(value));
    case SQLITE_NULL: return IntegerRange::none();
    default: return std::nullopt;
  }
}

std::optional<Condition> make_condition(Engine& engine, const RelationColumn& column,
                                        Comparison comparison, sqlite3_value* value) {
  if (!column.has_codes()) return std::nullopt;
  if (column.is_number()) {
    if (comparison == Comparison::kIsNull || comparison == Comparison::kIsNotNull) {
      const bool wants_null = comparison == Comparison::kIsNull;
      if (column.meaning == Meaning::kNumber) {
        return wants_null ? Condition{.column = &column.codes(), .low = 1, .high = 0}
                          : Condition{.column = &column.codes()};
      }
      return wants_null ? Condition{.column = &column.codes(), .high = -1}
                        : Condition{.column = &column.codes(), .low = 0};
    }
    if (comparison == Comparison::kLike || comparison == Comparison::kGlob) return std::nullopt;
    std::optional<IntegerRange> range = range_of(comparison, value);
    if (!range) return std::nullopt;
    if (column.meaning == Meaning::kNumberOrNull)
      range->low = std::max<std::int64_t>(range->low, 0);
    return Condition{.column = &column.codes(), .low = range->low, .high = range->high};
  }
  const bool is_one_text = comparison == Comparison::kEqual && column.dictionary.find &&
                           sqlite3_value_type(value) == SQLITE_TEXT;
  if (is_one_text) {
    const std::int64_t code = column.dictionary.find(text_of(value));
    if (code < 0) return Condition{.column = &column.codes(), .low = 1, .high = 0};
    return Condition{.column = &column.codes(), .low = code, .high = code};
  }
  return codes_that(engine, column,
                    [&](const Cell& cell) { return may_match(cell, comparison, value); });
}

std::optional<Condition> make_in_condition(Engine& engine, const RelationColumn& column,
                                           sqlite3_value* list) {
  if (!column.has_codes()) return std::nullopt;
  std::vector<sqlite3_value*> copies;
  sqlite3_value* item = nullptr;
  for (int rc = sqlite3_vtab_in_first(list, &item); rc == SQLITE_OK && item != nullptr;
       rc = sqlite3_vtab_in_next(list, &item)) {
    copies.push_back(sqlite3_value_dup(item));
  }
  const auto is_listed = [&](const Cell& cell) {
    for (sqlite3_value* value : copies) {
      if (value == nullptr || may_match(cell, Comparison::kEqual, value)) return true;
    }
    return false;
  };
  std::optional<Condition> condition = codes_that(engine, column, is_listed);
  for (sqlite3_value* value : copies) sqlite3_value_free(value);
  return condition;
}

void add_condition(Engine& engine, const Condition& condition, std::vector<Condition>& into) {
  // Two ends of one range are checked at once.
  for (Condition& other : into) {
    if (condition.wanted || other.column != condition.column || other.wanted) continue;
    other.low = std::max(other.low, condition.low);
    other.high = std::min(other.high, condition.high);
    return;
  }
  into.push_back(condition);
  // A join starts millions of scans, each for one number; those find their rows in other ways.
  const bool is_range = !condition.wanted && condition.low < condition.high;
  if (is_range) into.back().limits = &engine.block_limits(*condition.column);
}

}  // namespace tactus::sql
