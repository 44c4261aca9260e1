#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/arithmetic.h"
#include "cycles/phases/phase.h"

namespace tactus::watch {

/// One step of an engine as watch sees it: how long it took, and the work that explains it. Work
/// that the source does not tell is not-a-number, never 0.
struct Step {
  std::int64_t start_ns = 0;  ///< since the epoch
  double dur_us = 0;
  double sequences = NAN;      ///< that already produced a token: each gets one more
  double context = NAN;        ///< tokens that they attend to, all together
  double prompt_tokens = NAN;  ///< computed in this step for prompts
  double prompts = NAN;        ///< requests that these belong to
  double launches = NAN;       ///< all that is known of a step without any of the above
  Phase phase = Phase::kUnknown;
  double weight = 1;  ///< steps that it stands for: a scrape of metrics is a mean of many
};

/// When a step ended; durations may be any number.
inline std::int64_t end_of(std::int64_t start_ns, double dur_us) {
  return wrapping_add(start_ns, whole_number(dur_us * 1e3));
}

/// Steps of one process (or rank, or job) in the order of time.
struct StepStream {
  std::string name;
  std::optional<std::int64_t> rank;
  std::vector<Step> steps;
};

/// What a source of steps left out or changed, by reason.
struct StepLosses {
  std::uint64_t bad_rows = 0;      ///< a field is missing or is not a number
  std::uint64_t not_positive = 0;  ///< durations of 0 or less
  std::uint64_t backwards = 0;     ///< they start before the step in front of them
  std::uint64_t empty_calls = 0;   ///< shorter than a tenth of what is usual
  std::uint64_t total() const { return bad_rows + not_positive + backwards + empty_calls; }
};

/// A file of steps.
struct StepTable {
  std::vector<StepStream> streams;
  StepLosses losses;
  bool has_prompt_tokens = false;

  std::size_t steps() const {
    std::size_t count = 0;
    for (const StepStream& stream : streams) count += stream.steps.size();
    return count;
  }
};

}  // namespace tactus::watch
