#include "sources/nsys/summary/summary_json.h"

#include "base/json.h"
#include "sources/text/number.h"

namespace tactus::nsys {

std::vector<JsonCell> read_json_row(std::string_view line) {
  line = trim(line);
  if (line.starts_with('[')) line = trim(line.substr(1));
  if (line.ends_with(']')) line = trim(line.substr(0, line.size() - 1));
  if (line.ends_with(',')) line.remove_suffix(1);
  if (!line.starts_with('{') || !line.ends_with('}')) return {};
  std::vector<JsonCell> cells;
  const Json row = Json::parse(line);
  for (const auto& [key, value] : row.items()) {
    cells.push_back({key, value.is_string() ? value.get<std::string>()
                          : value.is_null() ? std::string()
                                            : value.dump()});
  }
  return cells;
}

}  // namespace tactus::nsys
