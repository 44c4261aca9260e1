#include "views/page/shared_json.h"

#include <algorithm>
#include <unordered_set>

namespace tactus {
namespace {

constexpr std::size_t kShortText = 6;  // stays where it is
constexpr const char* kMark = "~";

std::string packed_key(const std::string& key) {
  return key.starts_with(kMark) ? kMark + key : key;
}

bool is_list_of_objects(const Json& list) {
  return list.is_array() && list.size() >= 2 &&
         std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_object(); });
}

}  // namespace

Json SharedJson::pack_text(const std::string& text) {
  if (text.size() < kShortText && !text.starts_with(kMark)) return text;
  const auto [at, is_new] = numbers_.try_emplace(text, strings_.size());
  if (is_new) strings_.push_back(text);
  return kMark + std::to_string(at->second);
}

Json SharedJson::pack_rows(const Json& list) {
  std::vector<std::string> keys;
  std::unordered_set<std::string_view> known;
  for (const Json& row : list) {
    for (const auto& [key, value] : row.items()) {
      if (known.insert(key).second) keys.push_back(key);
    }
  }
  Json packed = Json::object();
  packed[kMark] = list.size();
  for (const std::string& key : keys) {
    Json column = Json::array();
    bool has_all = true;
    for (const Json& row : list) {
      const Json* value = row.find(key);
      has_all = has_all && value != nullptr;
      column.push_back(value == nullptr ? Json(kMark) : *value);
    }
    if (!has_all || !is_list_of_objects(column)) {
      Json values = Json::array();
      std::size_t place = 0;
      for (const Json& value : column) {
        const bool is_missing = list.at(place++).find(key) == nullptr;
        values.push_back(is_missing ? Json(kMark) : pack(value));
      }
      packed[packed_key(key)] = std::move(values);
    } else {
      packed[packed_key(key)] = pack_rows(column);
    }
  }
  return packed;
}

Json SharedJson::pack(const Json& document) {
  if (document.is_string()) return pack_text(document.get<std::string>());
  if (is_list_of_objects(document)) return pack_rows(document);
  if (document.is_array()) {
    Json packed = Json::array();
    for (const Json& item : document) packed.push_back(pack(item));
    return packed;
  }
  if (!document.is_object()) return document;
  Json packed = Json::object();
  for (const auto& [key, value] : document.items()) packed[packed_key(key)] = pack(value);
  return packed;
}

}  // namespace tactus
