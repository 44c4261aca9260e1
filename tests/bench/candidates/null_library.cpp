#include "candidate.h"

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  return nullptr;
}
