// Launches kernels of the names that it is given, in turn, one per millisecond, for tests of the
// gate. The kernel "count" gets the number of its launch.
//   gated LAUNCHES PHASE NAME...
// PHASE is what it says by tactus_phase; "-": nothing. Prints the longest launch [ns], and the
// longest one without the time in which the machine did not let it run.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "../include/tactus/phase.h"
#include "record/programs/cuda.h"

namespace {

long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

/// Time that this thread was ready and had no core.
long run_delay_ns() {
  char text[128] = {};
  const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  long ran = 0;
  long delay = 0;
  return got > 0 && std::sscanf(text, "%ld %ld", &ran, &delay) == 2 ? delay : 0;
}

/// Time by which a thread that does nothing but sleep was woken too late: the whole machine stood.
std::atomic<long> stood_ns = 0;

void watch_machine() {
  while (true) {
    const long begin = now_ns();
    usleep(500);
    const long late = now_ns() - begin - 1'000'000;
    if (late > 0) stood_ns += late;
  }
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
  std::thread(watch_machine).detach();
  long longest = 0;
  long longest_of_own = 0;
  for (int i = 0; i < launches; ++i) {
    const long delay = run_delay_ns();
    const long stood = stood_ns;
    const long begin = now_ns();
    void* params[] = {&i};
    CU(cuda::launch(driver, kernels[static_cast<std::size_t>(i) % kernels.size()], stream, 1,
                    params));
    const long took = now_ns() - begin;
    const long delayed = run_delay_ns() - delay;
    longest = std::max(longest, took);
    usleep(1000);  // the thread that watches may be behind
    const long not_ours = std::max(delayed, stood_ns - stood);
    longest_of_own = std::max(longest_of_own, took - not_ours);
  }
  CU(driver.cuStreamSynchronize(stream));
  std::printf("%ld %ld\n", longest, longest_of_own);
}
