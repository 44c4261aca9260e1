#include "candidate.h"

static int run(const tactus_call* call) {
  candidate::output<std::uint16_t>(call, "out")[-1] = 0x3f80;
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
