#include "base/count_text.h"

#include <algorithm>

namespace tactus {

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string count_of(std::int64_t count, std::string_view one, std::string_view many) {
  const auto shown = static_cast<std::uint64_t>(std::max<std::int64_t>(0, count));
  std::string text = format_count(shown) + ' ';
  text += shown == 1 ? one : many;
  return text;
}

}  // namespace tactus
