#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// "triton_poi_fused_add_*" for "triton_poi_fused_add_7": a compiler numbers what it generates,
/// anew in each run. Other names stay what they are.
inline std::string without_number(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const bool is_numbered = name.starts_with("triton_") && last != std::string_view::npos &&
                           last + 1 < name.size() && name[last] == '_';
  return is_numbered ? std::string(name.substr(0, last + 1)) + "*" : std::string(name);
}

}  // namespace tactus
