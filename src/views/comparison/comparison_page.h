#pragma once

#include <string_view>

namespace tactus {

/// The style of a comparison's page, besides kPageStyle: its verdict and its charts.
extern const std::string_view kComparisonStyle;

/// Its script, besides kPageScript: fill and filter the table of classic rows from the JSON
/// document in the page.
extern const std::string_view kComparisonScript;

}  // namespace tactus
