#pragma once

#include <span>
#include <string_view>

namespace tactus {

/// Another recorder's name for a counter of the table.
struct CounterAlias {
  std::string_view alias;
  std::string_view name;  ///< in the table
  double scale = 1;       ///< of its values, to the unit of the table
  bool is_total = false;  ///< it counts up: its growth per second is what the table has
};

std::span<const CounterAlias> known_counter_aliases();

/// Null for a name that nobody is known to use.
const CounterAlias* find_counter_alias(std::string_view alias);

}  // namespace tactus
