#include <cstdlib>

#include "candidate.h"

__attribute__((constructor)) static void load() {
  std::abort();
}

RMS_NORM_CANDIDATE(candidate::rms_norm)
