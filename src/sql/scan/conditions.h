#pragma once

#include <sqlite3.h>

#include <optional>
#include <vector>

#include "sql/engine.h"

namespace tactus::sql {

/// Comparisons that a table checks by itself.
enum class Comparison : std::uint8_t {
  kEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kLike,
  kGlob,
  kIsNull,
  kIsNotNull,
};

/// A range of integers, both ends included; empty if low > high.
struct IntegerRange {
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;

  void intersect(const IntegerRange& other) {
    low = std::max(low, other.low);
    high = std::min(high, other.high);
  }
  bool empty() const { return low > high; }
  static IntegerRange none() { return {.low = 1, .high = 0}; }
};

/// The integers that compare so with a number, as SQLite compares integers with reals.
IntegerRange range_of(Comparison comparison, std::int64_t number);
IntegerRange range_of(Comparison comparison, double number);
/// Nothing if the value is text or a blob: then SQLite has rules of its own.
std::optional<IntegerRange> range_of(Comparison comparison, sqlite3_value* value);

/// The condition `column comparison value` on the codes of the column; nothing if a scan cannot
/// check it. It may let more rows through than SQLite, never fewer.
std::optional<Condition> make_condition(Engine& engine, const RelationColumn& column,
                                        Comparison comparison, sqlite3_value* value);
/// The same for `column IN (list)`.
std::optional<Condition> make_in_condition(Engine& engine, const RelationColumn& column,
                                           sqlite3_value* list);

/// Adds a condition to those that a scan checks.
void add_condition(Engine& engine, const Condition& condition, std::vector<Condition>& into);

}  // namespace tactus::sql
