#include "base/csv_cell.h"

namespace tactus {

std::string csv_cell(std::string_view text) {
  // One fast search per character; find_first_of looks at each character of the text separately.
  const auto has = [&](char c) { return text.find(c) != std::string_view::npos; };
  if (!has(',') && !has('"') && !has('\n') && !has('\r')) return std::string(text);
  std::string out;
  out.reserve(text.size() + 2);
  out.push_back('"');
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos;
       quote = text.find('"')) {
    out.append(text.substr(0, quote + 1)).push_back('"');
    text.remove_prefix(quote + 1);
  }
  out.append(text).push_back('"');
  return out;
}

}  // namespace tactus
