#include "sources/nsys/database/table_list.h"

#include <algorithm>
#include <iterator>

namespace tactus::nsys {

bool is_read(std::string_view table) {
  return std::find(std::begin(kTablesRead), std::end(kTablesRead), table) != std::end(kTablesRead);
}

bool holds_call_chains(std::string_view table) {
  return table.ends_with("_CALLCHAINS");
}

bool holds_facts(std::string_view table) {
  return table.starts_with("ENUM_") || table.starts_with("META_") ||
         table.starts_with("TARGET_INFO_");
}

bool is_nsys_export(const Schema& schema) {
  // An empty capture still has the texts and the facts.
  return schema.has("StringIds") || schema.has("META_DATA_EXPORT") ||
         std::any_of(std::begin(kTablesRead), std::end(kTablesRead),
                     [&](std::string_view table) { return schema.has(table); });
}

}  // namespace tactus::nsys
