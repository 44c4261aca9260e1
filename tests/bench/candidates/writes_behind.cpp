#include "candidate.h"

static int run(const tactus_call* call) {
  const std::int64_t end = candidate::elements(tactus_output(call, "out"));
  candidate::output<std::uint16_t>(call, "out")[end] = 0x3f80;
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
