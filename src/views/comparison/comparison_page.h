#pragma once

#include <string_view>

namespace tactus {

/// What a comparison's page has beside kPageStyle: its verdict and its charts.
extern const std::string_view kComparisonStyle;

/// What it does beside kPageScript: fill and filter the table of classic rows from the document
/// that stands in the page as JSON.
extern const std::string_view kComparisonScript;

}  // namespace tactus
