#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "sql/groups/lookups.h"
#include "sql/groups/percentiles.h"
#include "sql/relation.h"
#include "sql/scan/deadline.h"
#include "sql/tables/derived.h"
#include "sql/tables/tables.h"

namespace tactus::sql {

/// Rows of a table by the numbers of one column, for look-ups that repeat as in a join.
class RowIndex {
 public:
  explicit RowIndex(const Column& column);

  /// The rows with that number, ascending.
  std::span<const std::uint32_t> rows_of(std::int64_t code) const;

 private:
  std::vector<std::pair<std::int64_t, std::uint32_t>> first_of_code_;  ///< code, place in rows_
  std::vector<std::uint32_t> rows_;
};

/// What the virtual tables of one connection share.
class Engine {
 public:
  Engine(const Run& run, const WantedSlices& wanted, unsigned thread_count)
      : derived(run, wanted, deadline), relations(make_relations(derived)), threads(thread_count) {}

  const Relation* find(std::string_view name) const;

  /// Limits of blocks that scans by one thread may use and improve.
  BlockLimits& block_limits(const Column& column);

  /// An index, if the column was asked for often enough that one pays.
  const RowIndex* index_of(const Column& column);

  Deadline deadline;
  Derived derived;
  std::vector<Relation> relations;
  DistinctCache distinct;
  LookUps look_ups;
  GroupNumbers group_numbers;  ///< of the query that runs
  unsigned threads = 1;
  bool groups_columns = true;  ///< false: every query goes row by row (tests compare both)

 private:
  struct Asked {
    int times = 0;
    std::optional<RowIndex> index;
  };
  std::map<const Column*, Asked> asked_;
  std::map<const Column*, BlockLimits> block_limits_;
};

}  // namespace tactus::sql
