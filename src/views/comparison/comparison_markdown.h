#pragma once

#include <string>

#include "compare/comparison.h"

namespace tactus {

/// A comparison as Markdown, for an issue or a chat: the same as the text, with all rows.
std::string show_comparison_markdown(const Comparison& comparison);

}  // namespace tactus
