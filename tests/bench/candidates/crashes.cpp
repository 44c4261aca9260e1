#include "candidate.h"

static int run(const tactus_call* call) {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
