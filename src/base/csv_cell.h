#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// A cell of a CSV file: quoted if it has to be.
std::string csv_cell(std::string_view text);

}  // namespace tactus
