#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sql/relation.h"

namespace tactus::sql {

/// Which rows of one block of a table are wanted.
struct Selection {
  std::size_t first = 0;                                 ///< of the block
  std::size_t rows = 0;                                  ///< of the block
  std::size_t count = 0;                                 ///< that are wanted
  bool is_all = false;                                   ///< then `places` is not filled
  std::array<std::uint16_t, Column::kBlockRows> places;  ///< of the wanted rows, ascending

  std::size_t row(std::size_t i) const { return first + (is_all ? i : places[i]); }
};

/// Finds the wanted rows of the block that begins at `first`. Blocks whose limits tell the answer
/// are not read.
void select_rows(std::span<const Condition> conditions, std::size_t first, std::size_t rows,
                 Selection& selection);

/// Whether one row is wanted.
bool is_wanted(std::span<const Condition> conditions, std::size_t row);

}  // namespace tactus::sql
