#pragma once

#include <string>
#include <unordered_map>

#include "base/json.h"

namespace tactus {

/// Makes documents of one page smaller before they are compressed. Long texts are in one list, and
/// a document has "~7" for the eighth of them. A list of objects is one object of columns:
///
///     [{"a": 1, "b": 2}, {"a": 3}]     {"~": 2, "a": [1, 3], "b": [2, "~"]}
///
/// A key that begins with ~ gets another one in front. ui/src/data/shared.ts undoes it.
class SharedJson {
 public:
  Json pack(const Json& document);

  /// The texts, in the order of their numbers.
  const Json& strings() const { return strings_; }

 private:
  Json pack_text(const std::string& text);
  Json pack_rows(const Json& list);

  Json strings_ = Json::array();
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace tactus
