#pragma once

#include <string>
#include <vector>

#include "kernels/table/table_rows.h"

namespace tactus {

/// What the names tell of the card and of the libraries' age, a sentence each. Names that tell
/// nothing give none.
std::vector<std::string> find_signs(const TableRows& rows);

}  // namespace tactus
