#include "candidate.h"

static size_t workspace(const tactus_call*) {
  return SIZE_MAX;
}

static const tactus_entry entries[] = {{"rms_norm", TACTUS_CPU, candidate::rms_norm, workspace}};
static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "test",
                                          entries, 1};

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  return &library;
}
