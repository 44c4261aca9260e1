#include "candidate.h"

static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "test",
                                          nullptr, 1};

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  return &library;
}
