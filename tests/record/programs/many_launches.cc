// Launches a kernel that takes no time, and prints what a launch took [ns]: the median of ROUNDS
// rounds.
//   many_launches [LAUNCHES] [ROUNDS]
#include <algorithm>
#include <ctime>
#include <vector>

#include "record/programs/cuda.h"

namespace {

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 5000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 100;
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  cuda::Handle stream = nullptr;
  CU(driver.cuStreamCreate(&stream, 1));
  const cuda::Handle kernel = cuda::kernel(driver, "sleep_us_0_empty");
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double begin = now_ns();
    for (int i = 0; i < launches; ++i) CU(cuda::launch(driver, kernel, stream));
    times.push_back((now_ns() - begin) / launches);
    // As long as a recorder needs to empty the ring.
    const timespec pause{.tv_sec = 0, .tv_nsec = 25'000'000};
    nanosleep(&pause, nullptr);
  }
  std::sort(times.begin(), times.end());
  std::printf("%.1f\n", times[times.size() / 2]);
}
