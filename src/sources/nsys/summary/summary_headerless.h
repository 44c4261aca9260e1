#pragma once

#include <optional>
#include <string_view>

#include "sources/nsys/summary/summary_layout.h"

namespace tactus::nsys {

/// The columns of a table whose header line was not copied, by one of its rows: those of the GUI in
/// their order. Nothing if it is not a row of all of them.
std::optional<SummaryLayout> layout_without_header(std::string_view row);

/// True if a line begins as a row of the GUI does: "57.0%<tab>1.266 s<tab>".
bool begins_like_row(std::string_view line);

}  // namespace tactus::nsys
