#pragma once

#include <string>

#include "compare/comparison.h"
#include "views/comparison/comparison_json.h"

namespace tactus {

/// A comparison as one page that needs nothing else: it can be sent by mail and opened from disk.
/// The whole document of `comparison_document` stands in it as JSON.
std::string show_comparison_html(const Comparison& comparison, const ComparisonContext& context);

}  // namespace tactus
