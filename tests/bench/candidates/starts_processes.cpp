#include <unistd.h>

#include <initializer_list>

#include "candidate.h"

static int run(const tactus_call* call) {
  for (const bool hides : {false, true}) {
    if (fork() != 0) continue;
    if (hides) setsid();
    while (true) pause();
  }
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
