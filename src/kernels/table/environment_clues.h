#pragma once

#include <string>
#include <vector>

#include "kernels/table/table_rows.h"

namespace tactus {

/// What the names say about the card and the age of the libraries, one sentence per fact.
std::vector<std::string> find_signs(const TableRows& rows);

}  // namespace tactus
