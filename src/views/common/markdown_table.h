#pragma once

#include <string>
#include <vector>

namespace tactus {

// Tables in which all columns except the first hold numbers. Cells are already Markdown: see
// markdown_cell.

void add_markdown_row(std::string& out, const std::vector<std::string>& cells);
void add_markdown_head(std::string& out, const std::vector<std::string>& heads);

}  // namespace tactus
