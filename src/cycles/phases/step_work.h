#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cycles/phases/phase.h"

namespace tactus {

/// What shows the work of a step; the best last. A weaker one never overrules a better one.
enum class Evidence : std::uint8_t {
  kNone,
  kNames,      ///< names of attention kernels
  kGrid,       ///< launch grids of kernels
  kShapes,     ///< shapes of the products with weights
  kAttention,  ///< shapes of attention: queries of each sequence
  kEngine,     ///< what the engine says: annotations, functions that run in one phase only
};
/// As in output: "shapes".
std::string_view evidence_name(Evidence evidence);

/// What a step works on. The phase follows from it, never from how long the step takes.
struct StepWork {
  Phase phase = Phase::kUnknown;
  Evidence evidence = Evidence::kNone;
  std::optional<double> tokens;     ///< that were computed
  std::optional<double> sequences;  ///< that took part
  std::optional<double> context;    ///< tokens that they attend to
};

/// Decode if each sequence has one new token; prefill if most tokens belong to sequences with many;
/// else mixed.
Phase phase_of_work(double tokens, double sequences);

}  // namespace tactus
