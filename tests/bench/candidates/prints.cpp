#include <cstdio>

#include "candidate.h"

static int run(const tactus_call* call) {
  // The second character would clear the screen of whoever shows it.
  std::printf("h\033[2Jello\n");
  for (int i = 0; i < 20000; ++i) std::printf("a line of fifty characters that nobody asked for\n");
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
