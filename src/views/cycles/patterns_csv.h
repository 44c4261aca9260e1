#pragma once

#include "cycles/cycles.h"
#include "run/run.h"
#include "views/common/buffered_output.h"

namespace tactus {

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
