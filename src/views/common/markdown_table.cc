#include "views/common/text_table.h"

namespace tactus {

void add_markdown_row(std::string& out, const std::vector<std::string>& cells) {
  out += "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  out += "\n";
}

void add_markdown_head(std::string& out, const std::vector<std::string>& heads) {
  add_markdown_row(out, heads);
  out += "|:---|";
  for (std::size_t i = 1; i < heads.size(); ++i) out += "---:|";
  out += "\n";
}

}  // namespace tactus
