#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// A text as part of a file name: characters other than letters, digits, "_", "-" and "." become
/// "_", and a name too long for a file system is cut.
std::string file_name_of(std::string_view text);

/// Appends _v2, _v3 ... to names that came before in the list.
void make_unique(std::vector<std::string>& names);

}  // namespace tactus
