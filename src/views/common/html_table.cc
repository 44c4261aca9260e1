#include <fmt/format.h>

#include "views/common/html.h"

namespace tactus {

std::string html_table_head(const std::vector<std::string>& heads) {
  std::string out = "<thead><tr>";
  for (const std::string& head : heads) {
    const bool is_number = head.starts_with('#');
    out += fmt::format("<th scope=\"col\"{}>{}</th>", is_number ? " class=\"num\"" : "",
                       html_text(is_number ? head.substr(1) : head));
  }
  return out + "</tr></thead>\n";
}

std::string html_list(const std::vector<std::string>& sentences) {
  std::string out = "<ul>\n";
  for (const std::string& sentence : sentences) out += "<li>" + html_text(sentence) + "</li>\n";
  return out + "</ul>\n";
}

}  // namespace tactus
