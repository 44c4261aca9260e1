#pragma once

#include <string_view>

namespace tactus {

/// The style sheet of a comparison's page: light and dark, on a phone and on paper.
extern const std::string_view kComparisonStyle;

/// What the page does: sort tables, and fill and filter the table of classic rows from the
/// document that stands in the page as JSON.
extern const std::string_view kComparisonScript;

}  // namespace tactus
