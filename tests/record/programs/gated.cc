// Launches kernels of the names that it is given, in turn, one per millisecond, for tests of the
// gate. The kernel "count" gets the number of its launch.
//   gated LAUNCHES PHASE NAME...
// PHASE is what it says by tactus_phase; "-": nothing. Prints the longest launch [ns], and the
// longest one without the time in which its thread was ready and had no core, or a core was taken
// from the machine by its host; then one line per launch of more than 120 ms, or of more than 60 ms
// without these: its number, how long it took, and these two times.
#include <fcntl.h>
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

/// Time that the host of a virtual machine took from a core, for the core that lost most.
class StolenTime {
 public:
  StolenTime() { read_all(cores_); }
  long since_ns() const {
    std::vector<long> now;
    read_all(now);
    long most = 0;
    for (std::size_t i = 0; i < now.size() && i < cores_.size(); ++i) {
      most = std::max(most, now[i] - cores_[i]);
    }
    return most * (1'000'000'000L / sysconf(_SC_CLK_TCK));
  }

 private:
  static void read_all(std::vector<long>& out) {
    std::FILE* file = std::fopen("/proc/stat", "re");
    if (file == nullptr) return;
    char line[512];
    long stolen = 0;
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "cpu%*d %*d %*d %*d %*d %*d %*d %*d %ld", &stolen) == 1) {
        out.push_back(stolen);
      }
    }
    std::fclose(file);
  }

  std::vector<long> cores_;  ///< ticks
};

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
  constexpr long kLate = 120'000'000;
  struct Late {
    int number;
    long took, without_core, stolen;
  };
  std::vector<Late> late;
  long longest = 0;
  long longest_with_core = 0;
  for (int i = 0; i < launches; ++i) {
    const StolenTime stolen_time;
    const long before = run_delay_ns();
    const long begin = now_ns();
    void* params[] = {&i};
    CU(cuda::launch(driver, kernels[static_cast<std::size_t>(i) % kernels.size()], stream, 1,
                    params));
    const long took = now_ns() - begin;
    const long without_core = run_delay_ns() - before;
    usleep(1000);  // stolen time is counted at the next tick
    const long stolen = stolen_time.since_ns();
    longest = std::max(longest, took);
    longest_with_core = std::max(longest_with_core, took - without_core - stolen);
    const bool is_odd = took - without_core - stolen > kLate / 2;
    if (took > kLate || is_odd) late.push_back({i, took, without_core, stolen});
  }
  CU(driver.cuStreamSynchronize(stream));
  std::printf("%ld %ld\n", longest, longest_with_core);
  for (const Late& one : late) {
    std::printf("%d %ld %ld %ld\n", one.number, one.took, one.without_core, one.stolen);
  }
}
