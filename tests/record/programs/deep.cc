// Launches kernels faster than they run, for tests of the gate's depth limit. A kernel of phase
// "decode" is never waited for, so that its class counts as being there; the others are "prefill".
//   deep ROUNDS [LIMIT]
// Prints how many launches of a round were queued at most; ends early after a round with at most
// LIMIT of them.
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "../include/tactus/phase.h"
#include "record/programs/cuda.h"

namespace {

constexpr int kLaunches = 40;
const char kImage[] = "STANDIN\nkernel slow 4\n";
std::atomic<int> ran = 0;

}  // namespace

extern "C" __attribute__((visibility("default"))) void slow(const unsigned*, const unsigned*,
                                                            void**) {
  usleep(1000);
  ++ran;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int rounds = std::atoi(argv[1]);
  const int limit = argc > 2 ? std::atoi(argv[2]) : 0;
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  cuda::Handle stream = nullptr;
  CU(driver.cuStreamCreate(&stream, 1));
  const cuda::Handle kernel = cuda::kernel(driver, "slow", kImage);
  int most = 0;
  int launched = 0;
  for (int round = 0; round < rounds; ++round) {
    most = 0;
    for (int i = 0; i < kLaunches; ++i) {
      tactus_phase(i == 0 ? "decode" : "prefill");
      void* params[] = {&launched};
      CU(cuda::launch(driver, kernel, stream, 1, params));
      most = std::max(most, ++launched - ran.load());
    }
    while (ran.load() < launched) usleep(100);
    if (most <= limit) break;
  }
  std::printf("%d\n", most);
}
