#include "candidate.h"

TACTUS_EXPORT int something_else(void);

int something_else(void) {
  return 7;
}
