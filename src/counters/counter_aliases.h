#pragma once

#include <span>
#include <string_view>

namespace tactus {

/// Another recorder's name for a counter of the table.
struct CounterAlias {
  std::string_view alias;
  std::string_view name;  ///< in the table
  double scale = 1;       ///< of its values, to the unit of the table
  bool is_total = false;  ///< it counts up; the table has its growth per second
};

std::span<const CounterAlias> known_counter_aliases();

/// Null for an unknown name.
const CounterAlias* find_counter_alias(std::string_view alias);

}  // namespace tactus
