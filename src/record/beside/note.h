#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tactus::record {

/// What somebody beside a recording wants to find in it again: an instant with arguments.
struct Note {
  using Value = std::variant<std::int64_t, double, std::string>;

  std::string category;
  std::string name;
  std::int64_t time_ns = 0;  ///< since the epoch
  std::vector<std::pair<std::string, Value>> args;
};

}  // namespace tactus::record
