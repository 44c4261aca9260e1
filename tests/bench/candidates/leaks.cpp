#include <cstdlib>

#include "candidate.h"

static int run(const tactus_call* call) {
  void* volatile lost = std::malloc(10000);
  return lost == nullptr ? 1 : candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
