#include <unistd.h>

#include <csignal>

#include "candidate.h"

static int run(const tactus_call* call) {
  kill(getpid(), SIGKILL);
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
