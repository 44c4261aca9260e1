#include "cycles/phases/step_work.h"

#include <array>

namespace tactus {

std::string_view evidence_name(Evidence evidence) {
  static constexpr std::array<std::string_view, 6> kNames = {"none",   "names",     "grid",
                                                             "shapes", "attention", "engine"};
  return kNames[static_cast<std::size_t>(evidence)];
}

Phase phase_of_work(double tokens, double sequences) {
  if (tokens <= sequences) return Phase::kDecode;
  // Each sequence has a token; the others belong to sequences with many.
  return 2 * (tokens - sequences) > tokens ? Phase::kPrefill : Phase::kMixed;
}

}  // namespace tactus
