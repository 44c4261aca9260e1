// Two threads that wake each other through pipes, on one core, so that every message is a switch of
// threads.
//   ping_pong SECONDS [SWITCHES_PER_SECOND]
// Prints the switches per second and the processor time of one [ns], as the median of stretches of
// 2000: other programs on the core do not count.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kStretch = 1000;  // messages there and back

void stay_on_one_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

/// Of all threads of this process.
double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

bool pass(int from, int to) {
  char byte = 0;
  return read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  const double rate = argc > 2 ? std::atof(argv[2]) : 0;
  stay_on_one_core();
  int there[2];
  int back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 1;
  std::thread other([&] {
    while (pass(there[0], back[1])) {
    }
  });
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration<double>(seconds);
  std::vector<double> times;
  std::size_t switches = 0;
  while (Clock::now() < end) {
    const double before = processor_ns();
    for (int i = 0; i < kStretch; ++i) {
      char byte = 1;
      if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) return 1;
    }
    times.push_back((processor_ns() - before) / (2 * kStretch));
    switches += 2 * kStretch;
    if (rate > 0) {
      std::this_thread::sleep_until(
          start + std::chrono::duration<double>(static_cast<double>(switches) / rate));
    }
  }
  const std::chrono::duration<double> all = Clock::now() - start;
  close(there[1]);
  other.join();
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  std::printf("%.0f %.1f\n", static_cast<double>(switches) / all.count(), times[times.size() / 2]);
}
