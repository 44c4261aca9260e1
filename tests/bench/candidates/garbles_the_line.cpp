#include <unistd.h>

#include "candidate.h"

static int run(const tactus_call* call) {
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    if (write(descriptor, "not what you are waiting for", 28) < 0) continue;
  }
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
