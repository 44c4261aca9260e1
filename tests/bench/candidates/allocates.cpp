#include <cstdlib>
#include <vector>

#include "candidate.h"

// Little, and it is given back: nothing but counting sees it.
static int run(const tactus_call* call) {
  const std::vector<char> first(100, 1);
  void* second = std::malloc(10);
  asm volatile("" : : "r"(first.data()), "r"(second) : "memory");  // or they would be left out
  std::free(second);
  return candidate::rms_norm(call);
}

RMS_NORM_CANDIDATE(run)
