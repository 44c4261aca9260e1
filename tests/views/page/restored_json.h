#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tactus::testing {

inline std::string key_of(const std::string& key) {
  return key.starts_with("~") ? key.substr(1) : key;
}

/// As ui/src/data/shared.ts reads it.
inline Json restored_json(const Json& packed, const Json& strings) {
  if (packed.is_string()) {
    const auto text = packed.get<std::string>();
    return text.starts_with("~") ? strings.at(std::stoul(text.substr(1))) : packed;
  }
  if (packed.is_array()) {
    Json list = Json::array();
    for (const Json& item : packed) list.push_back(restored_json(item, strings));
    return list;
  }
  if (!packed.is_object()) return packed;
  const Json* count = packed.find("~");
  if (count == nullptr) {
    Json object = Json::object();
    for (const auto& [key, value] : packed.items())
      object[key_of(key)] = restored_json(value, strings);
    return object;
  }
  std::vector<Json> rows(count->get<std::size_t>(), Json::object());
  for (const auto& [key, column] : packed.items()) {
    if (key == "~") continue;
    const Json values = column.is_array() ? column : restored_json(column, strings);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (values.at(i) == Json("~")) continue;
      rows[i][key_of(key)] =
          column.is_array() ? restored_json(values.at(i), strings) : values.at(i);
    }
  }
  Json list = Json::array();
  for (Json& row : rows) list.push_back(std::move(row));
  return list;
}

/// A document of a page, by its name; `shared` is the block with all of them.
inline Json document_of_page(const Json& shared, std::string_view name) {
  return restored_json(shared.at("documents").at(name), shared.at("strings"));
}

}  // namespace tactus::testing
