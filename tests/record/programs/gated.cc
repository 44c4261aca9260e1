// Launches kernels of the names that it is given, in turn, one per millisecond, for tests of the
// gate. The kernel "count" gets the number of its launch.
//   gated LAUNCHES PHASE NAME...
// PHASE is what it says by tactus_phase; "-": nothing. Prints the longest launch [ns].
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <vector>

#include "../include/tactus/phase.h"
#include "record/programs/cuda.h"

namespace {

long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

const char kImage[] = "STANDIN\nkernel count 4\n";

}  // namespace

extern "C" __attribute__((visibility("default"))) void count(const unsigned*, const unsigned*,
                                                             void**) {}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int launches = std::atoi(argv[1]);
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  cuda::Handle stream = nullptr;
  CU(driver.cuStreamCreate(&stream, 1));
  std::vector<cuda::Handle> kernels;
  for (int i = 3; i < argc; ++i) {
    const bool counts = std::strcmp(argv[i], "count") == 0;
    kernels.push_back(cuda::kernel(driver, argv[i], counts ? kImage : "scripted"));
  }
  if (std::strcmp(argv[2], "-") != 0) tactus_phase(argv[2]);
  long longest = 0;
  for (int i = 0; i < launches; ++i) {
    const long begin = now_ns();
    void* params[] = {&i};
    CU(cuda::launch(driver, kernels[static_cast<std::size_t>(i) % kernels.size()], stream, 1,
                    params));
    longest = std::max(longest, now_ns() - begin);
    usleep(1000);
  }
  CU(driver.cuStreamSynchronize(stream));
  std::printf("%ld\n", longest);
}
