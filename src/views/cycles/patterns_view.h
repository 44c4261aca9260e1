#pragma once

#include <cstddef>
#include <string>

#include "compare/patterns/pattern_summary.h"

namespace tactus {

/// The written files, and how much they hold.
struct PatternFiles {
  std::string patterns;
  std::string counters;
  std::size_t rows = 0;  ///< of the patterns
};

std::string show_patterns_text(const PatternSummary& summary, const Cycles& cycles,
                               const PatternFiles& files, std::size_t width);

/// `run` is the source of the patterns; its warnings go into the document.
std::string show_patterns_json(const PatternSummary& summary, const Cycles& cycles,
                               const PatternFiles& files, const Run& run);

}  // namespace tactus
