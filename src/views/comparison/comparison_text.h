#pragma once

#include <cstddef>
#include <string>

#include "compare/comparison.h"

namespace tactus {

/// A comparison for the terminal: the verdict first, then how much, where, why, what is not known
/// and what to look at next. Lines are at most `width` characters long (0 for no limit).
std::string show_comparison_text(const Comparison& comparison, std::size_t width);

}  // namespace tactus
