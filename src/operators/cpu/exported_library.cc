// The exported part of libtactus_operators. The tool holds the same kernels and does not need it.
#include "operators/cpu/library.h"

const tactus_library_v1* tactus_library() {
  return &tactus::cpu_library();
}
