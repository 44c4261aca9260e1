#pragma once

#include <cstddef>
#include <string>

#include "cycles/cycles.h"
#include "patterns/pattern_summary.h"
#include "run/run.h"
#include "views/common/buffered_output.h"

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

/// How numbers with a fraction are written.
enum class PatternNumbers : std::uint8_t {
  kAsKept,     ///< with all their digits
  kFourPlaces  ///< "26.5198", as in other files of this format
};

/// The patterns of a run as a `*_perf_data.csv`.
Status write_patterns(const Run& run, PatternNumbers numbers, BufferedOutput& out);

/// The samples inside cycles as a `*_counters_data.csv`: `counter_name,timestamp,value, hostname`,
/// by name and time (in us since the epoch), equal lines once.
Status write_counters_of_cycles(const Run& run, const Cycles& cycles, BufferedOutput& out);

}  // namespace tactus
