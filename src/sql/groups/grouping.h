#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sql/groups/percentiles.h"
#include "sql/relation.h"
#include "sql/scan/deadline.h"

namespace tactus::sql {

/// A column whose numbers are summed up.
struct SummedColumn {
  const Column* column = nullptr;
  bool has_nulls = false;  ///< numbers below 0 are NULL
  bool needs_sum = false;
  bool needs_limits = false;
  bool needs_all = false;
};

struct GroupTask {
  std::size_t rows = 0;
  std::vector<Condition> conditions;
  std::vector<const Column*> keys;
  std::vector<const DistinctCodes*> codes;  ///< of the keys
  std::vector<SummedColumn> values;
  unsigned threads = 1;
};

__extension__ using Wide = __int128;

/// The numbers of one column in one group that are not NULL. What is not needed is not worked out.
struct Totals {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  std::int64_t low = INT64_MAX;
  std::int64_t high = INT64_MIN;
};

struct Groups {
  std::vector<std::int64_t> codes;  ///< of the keys, group by group
  std::vector<std::int64_t> rows;   ///< by group
  std::vector<Totals> totals;       ///< of the values, group by group
  /// By value: more than all numbers of the column together, without their signs; nothing if no
  /// number is below 0, so that the sums tell.
  std::vector<std::optional<Wide>> sizes;
  GroupNumbers all;  ///< of the values of which all numbers are needed

  std::size_t size() const { return rows.size(); }
};

/// Groups have no order that means anything. Nothing if there are too many, if a sum could
/// overflow, or if the time is over.
std::optional<Groups> group_rows(const GroupTask& task, Deadline& deadline);

}  // namespace tactus::sql
