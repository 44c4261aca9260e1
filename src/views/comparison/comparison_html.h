#pragma once

#include <string>

#include "compare/comparison.h"
#include "views/comparison/comparison_json.h"

namespace tactus {

/// A comparison as one self-contained page: it can be sent by mail and opened from disk. It
/// contains the whole document of `comparison_document` as JSON.
std::string show_comparison_html(const Comparison& comparison, const ComparisonContext& context);

}  // namespace tactus
