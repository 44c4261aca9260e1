#include <fmt/format.h>

#include <algorithm>

#include "views/common/text_table.h"

namespace tactus {

std::vector<std::string> wrapped(std::string_view text, std::size_t room) {
  std::vector<std::string> lines = {""};
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t size = text_width(word);
    if (column != 0 && column + 1 + size > room) {
      lines.emplace_back();
      column = 0;
    }
    if (column != 0) lines.back() += ' ';
    lines.back() += word;
    column += size + (column == 0 ? 0 : 1);
    at = end + 1;
  }
  return lines;
}

std::string paragraph(std::string_view head, std::string_view text, std::size_t width,
                      std::size_t head_width) {
  const std::size_t room = width > head_width + 20 ? width - head_width : 100;
  std::string out = fmt::format("{:<{}}", printable(head), head_width);
  const std::vector<std::string> lines = wrapped(printable(text), room);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i != 0) out += "\n" + std::string(head_width, ' ');
    out += lines[i];
  }
  return out + "\n";
}

}  // namespace tactus
