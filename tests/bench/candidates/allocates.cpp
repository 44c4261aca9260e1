#include <vector>

#include "candidate.h"

static int run(const tactus_call* call) {
  // Large enough that it goes back to the system each time.
  const std::vector<char> scratch(std::size_t{40} << 20, 1);
  return scratch[12345] == 1 ? candidate::rms_norm(call) : 1;
}

RMS_NORM_CANDIDATE(run)
