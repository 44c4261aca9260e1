#pragma once

#include <string>
#include <vector>

namespace tactus {

/// The head of a table that can be sorted; heads that start with '#' stand above numbers.
std::string html_table_head(const std::vector<std::string>& heads);

std::string html_list(const std::vector<std::string>& sentences);

}  // namespace tactus
