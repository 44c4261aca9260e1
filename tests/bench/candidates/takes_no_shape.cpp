#include "candidate.h"

static int run(const tactus_call* call) {
  return call == nullptr ? 0 : TACTUS_UNSUPPORTED;
}

RMS_NORM_CANDIDATE(run)
