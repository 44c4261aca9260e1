#include "candidate.h"

static int run(const tactus_call* call) {
  const int code = candidate::rms_norm(call);
  candidate::input<std::uint16_t>(call, "x")[5] ^= 1;
  return code;
}

RMS_NORM_CANDIDATE(run)
