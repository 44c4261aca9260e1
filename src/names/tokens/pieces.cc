#include "names/tokens/pieces.h"

namespace tactus::names {

bool Pieces::next(std::string_view& piece) {
  if (!more_) return false;
  const std::size_t end = rest_.find('_');
  more_ = end != std::string_view::npos;
  piece = rest_.substr(0, end);
  if (more_) rest_.remove_prefix(end + 1);
  return true;
}

std::optional<int> take_number(std::string_view& text) {
  constexpr std::size_t kMostDigits = 8;
  std::size_t digits = 0;
  int value = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (digits == kMostDigits) return {};
    value = value * 10 + (text[digits++] - '0');
  }
  if (digits == 0) return {};
  text.remove_prefix(digits);
  return value;
}

Sizes sizes_of(std::string_view text) {
  Sizes sizes;
  while (sizes.count < sizes.value.size()) {
    const std::optional<int> number = take_number(text);
    if (!number) return {};
    sizes.value[sizes.count++] = *number;
    if (text.empty()) return sizes.count > 1 ? sizes : Sizes{};
    if (text.front() != 'x') return {};
    text.remove_prefix(1);
  }
  return {};
}

std::optional<std::string_view> after(std::string_view text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return {};
  return text.substr(beginning.size());
}

}  // namespace tactus::names
