// What libtactus_operators shows; the tool, which holds the same kernels, has no need of it.
#include "operators/cpu/library.h"

const tactus_library_v1* tactus_library() {
  return &tactus::cpu_library();
}
