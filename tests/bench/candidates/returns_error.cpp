#include "candidate.h"

static int run(const tactus_call* call) {
  candidate::rms_norm(call);
  return 42;
}

RMS_NORM_CANDIDATE(run)
