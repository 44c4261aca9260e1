#pragma once

#include <map>
#include <utility>

#include "sql/relation.h"
#include "sql/scan/deadline.h"

namespace tactus::sql {

/// Columns of tables that are looked up by id, as columns of the table that has the ids. Each is
/// made once.
class LookUps {
 public:
  /// By row of `ids`: the number in that row of `column`. Where there is no such row, it is a
  /// number that the column has. Null if the time is over.
  const Column* numbers(const Column& column, const Column& ids, unsigned threads,
                        Deadline& deadline);
  /// By row of `ids`: 1 if the table has that row, else 0. Null if the time is over.
  const Column* are_there(const Relation& relation, const Column& ids, unsigned threads,
                          Deadline& deadline);

 private:
  std::map<std::pair<const Column*, const Column*>, Column> numbers_;
  std::map<std::pair<const Relation*, const Column*>, Column> are_there_;
};

}  // namespace tactus::sql
