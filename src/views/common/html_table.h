#pragma once

#include <string>
#include <vector>

namespace tactus {

/// The head of a sortable table; headings that start with '#' are for numbers.
std::string html_table_head(const std::vector<std::string>& heads);

std::string html_list(const std::vector<std::string>& sentences);

}  // namespace tactus
