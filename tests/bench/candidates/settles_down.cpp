// Right. After its first 77 calls a thread of it works on, after later ones not: it looks as on a
// machine where something else went on at first.
#include <atomic>
#include <thread>

#include "candidate.h"

namespace {

constexpr int kUnsettled = 77;
std::atomic<int> calls = 0;
std::atomic<bool> is_inside = true;

void work_between_calls() {
  while (calls <= kUnsettled) {
    if (is_inside) std::this_thread::yield();
  }
}

int settles_down(const tactus_call* call) {
  is_inside = true;
  if (calls++ == 0) std::thread(work_between_calls).detach();
  candidate::rms_norm(call);
  is_inside = false;
  return 0;
}

}  // namespace

RMS_NORM_CANDIDATE(settles_down)
