#include "candidate.h"

static int run(const tactus_call* call) {
  static_cast<char*>(call->workspace)[call->workspace_bytes] = 1;
  return candidate::rms_norm(call);
}

static size_t workspace(const tactus_call*) {
  return 1000;
}

static const tactus_entry entries[] = {{"rms_norm", TACTUS_CPU, run, workspace}};
static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "test",
                                          entries, 1};

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  return &library;
}
