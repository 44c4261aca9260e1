// Units of work without end, for tests and benchmarks of the gate: launches, then a wait.
//   loop graph|eager SECONDS KERNELS MICROSECONDS [PACE_US [SLOW_AFTER_S SLOW_US]]
// With a pace, a unit begins that long after the last one began, or when that is done; kernels that
// are launched one by one take SLOW_US from some time on. Prints the units, and the median and the
// 99th percentile of the time from the end of one to that of the next [us].
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "record/programs/cuda.h"

namespace {

long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

void sleep_until(long at_ns) {
  const timespec until{.tv_sec = at_ns / 1'000'000'000L, .tv_nsec = at_ns % 1'000'000'000L};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const bool is_graph = std::strcmp(argv[1], "graph") == 0;
  const double seconds = std::atof(argv[2]);
  const int kernels = std::atoi(argv[3]);
  const long pace_ns = argc > 5 ? 1000L * std::atol(argv[5]) : 0;
  const bool gets_slow = argc > 7;
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  cuda::Handle stream = nullptr;
  CU(driver.cuStreamCreate(&stream, 1));
  const std::string name = "sleep_us_" + std::string(argv[4]) + "_work";
  const cuda::Handle kernel = cuda::kernel(driver, name.c_str());
  const std::string slow_name = "sleep_us_" + std::string(gets_slow ? argv[7] : "1") + "_work";
  const cuda::Handle slow_kernel = gets_slow ? cuda::kernel(driver, slow_name.c_str()) : kernel;
  const long slow_ns = now_ns() + (gets_slow ? static_cast<long>(std::atof(argv[6]) * 1e9) : 0);
  const auto launch_all = [&] {
    const bool is_slow = gets_slow && now_ns() > slow_ns;
    for (int i = 0; i < kernels; ++i) {
      CU(cuda::launch(driver, is_slow ? slow_kernel : kernel, stream, 1));
    }
  };
  cuda::Handle exec = nullptr;
  if (is_graph) {
    cuda::Handle graph = nullptr;
    CU(driver.cuStreamBeginCapture(stream, 0));
    launch_all();
    CU(driver.cuStreamEndCapture(stream, &graph));
    CU(driver.cuGraphInstantiateWithFlags(&exec, graph, 0));
  }
  std::vector<long> ends;
  const long end_ns = now_ns() + static_cast<long>(seconds * 1e9);
  for (long begin = now_ns(); begin < end_ns; begin = now_ns()) {
    if (is_graph) {
      CU(driver.cuGraphLaunch(exec, stream));
    } else {
      launch_all();
    }
    CU(driver.cuStreamSynchronize(stream));
    ends.push_back(now_ns());
    if (pace_ns > 0) sleep_until(begin + pace_ns);
  }
  std::vector<long> between;
  for (std::size_t i = 1; i < ends.size(); ++i) between.push_back(ends[i] - ends[i - 1]);
  if (between.empty()) return 1;
  std::sort(between.begin(), between.end());
  std::printf("%zu %.1f %.1f\n", ends.size(),
              static_cast<double>(between[between.size() / 2]) / 1e3,
              static_cast<double>(between[between.size() * 99 / 100]) / 1e3);
}
