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

std::string format_count(std::int64_t count) {
  return format_count(static_cast<std::uint64_t>(std::max<std::int64_t>(0, count)));
}

std::string count_of(std::int64_t count, std::string_view one, std::string_view many) {
  std::string text = format_count(count) + ' ';
  text += count == 1 ? one : many;
  return text;
}

}  // namespace tactus
