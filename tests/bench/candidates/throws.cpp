#include <stdexcept>

#include "candidate.h"

static int run(const tactus_call* call) {
  if (call != nullptr) throw std::runtime_error("no idea how");
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
