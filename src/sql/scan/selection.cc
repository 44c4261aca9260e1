#include "sql/scan/selection.h"

#include <algorithm>

namespace tactus::sql {
namespace {

bool takes_code(const Condition& condition, std::int64_t code) {
  if (code < condition.low || code > condition.high) return false;
  if (!condition.wanted) return true;
  const auto at = static_cast<std::uint64_t>(code);
  return at < condition.wanted->size() && (*condition.wanted)[at] != 0;
}

enum class Verdict : std::uint8_t { kNone, kAll, kSome };

Verdict judge_block(const Condition& condition, const Column::Limits& limits) {
  if (limits.high < condition.low || limits.low > condition.high) return Verdict::kNone;
  if (condition.wanted) {
    if (limits.low != limits.high) return Verdict::kSome;
    return takes_code(condition, limits.low) ? Verdict::kAll : Verdict::kNone;
  }
  return limits.low >= condition.low && limits.high <= condition.high ? Verdict::kAll
                                                                      : Verdict::kSome;
}

/// Keeps the rows whose value passes the test. No branch depends on the values.
template <class Test>
void keep(std::span<const std::int64_t> values, Selection& selection, Test&& test) {
  std::size_t kept = 0;
  if (selection.is_all) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      selection.places[kept] = static_cast<std::uint16_t>(i);
      kept += test(values[i]);
    }
  } else {
    for (std::size_t i = 0; i < selection.count; ++i) {
      const std::uint16_t place = selection.places[i];
      selection.places[kept] = place;
      kept += test(values[place]);
    }
  }
  selection.is_all = kept == selection.rows;
  selection.count = kept;
}

}  // namespace

void select_rows(std::span<const Condition> conditions, std::size_t first, std::size_t rows,
                 Selection& selection) {
  selection.first = first;
  selection.rows = rows;
  selection.count = rows;
  selection.is_all = true;
  std::array<std::int64_t, Column::kBlockRows> values;
  for (const Condition& condition : conditions) {
    Column::Limits* known =
        condition.limits ? &(*condition.limits)[first / Column::kBlockRows] : nullptr;
    const Verdict verdict =
        judge_block(condition, known ? *known : condition.column->limits_at(first));
    if (verdict == Verdict::kAll) continue;
    if (verdict == Verdict::kNone) {
      selection.count = 0;
      selection.is_all = false;
      return;
    }
    const std::span<std::int64_t> block(values.data(), rows);
    condition.column->read(first, block);
    if (condition.wanted) {
      const std::span<const std::uint8_t> wanted(*condition.wanted);
      keep(block, selection, [&](std::int64_t code) {
        const auto at = static_cast<std::uint64_t>(code);
        return std::size_t{at < wanted.size() && wanted[at] != 0};
      });
    } else {
      keep(block, selection, [low = condition.low, high = condition.high](std::int64_t value) {
        return static_cast<std::size_t>(static_cast<int>(value >= low) &
                                        static_cast<int>(value <= high));
      });
    }
    if (selection.count != 0) continue;
    if (known != nullptr) {
      const auto [low, high] = std::minmax_element(block.begin(), block.end());
      *known = {.low = *low, .high = *high};
    }
    return;
  }
}

bool is_wanted(std::span<const Condition> conditions, std::size_t row) {
  for (const Condition& condition : conditions) {
    if (!takes_code(condition, (*condition.column)[row])) return false;
  }
  return true;
}

}  // namespace tactus::sql
