#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <thread>
#include <vector>

#include "base/file.h"
#include "record/host/host_tracer.h"
#include "record/ready/launch_cost.h"

namespace tactus::record {
namespace {

constexpr int kRounds = 3;
constexpr int kStretches = 31;
constexpr int kMessages = 200;  // per stretch, there and back

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void stay_on_one_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

/// Two threads on one core that wake each other; processor time of a switch. Both threads end here.
double switch_ns(int there_read, int there_write, int back_read, int back_write) {
  std::vector<double> times;
  std::thread first([&] {
    stay_on_one_core();
    std::thread other([&] {
      char byte = 0;
      while (::read(there_read, &byte, 1) == 1 && byte != 0 && ::write(back_write, &byte, 1) == 1) {
      }
    });
    for (int i = 0; i < kStretches; ++i) {
      const double before = processor_ns();
      for (int message = 0; message < kMessages; ++message) {
        char byte = 1;
        if (::write(there_write, &byte, 1) != 1 || ::read(back_read, &byte, 1) != 1) break;
      }
      times.push_back((processor_ns() - before) / (2 * kMessages));
    }
    const char end = 0;
    if (::write(there_write, &end, 1) == 1)
      other.join();
    else
      other.detach();
  });
  first.join();
  if (times.size() < kStretches) return 0;
  // Other programs can only make it slower.
  std::nth_element(times.begin(), times.begin() + kStretches / 4, times.end());
  return times[kStretches / 4];
}

}  // namespace

Result<double> measure_switch_cost() {
  int there[2] = {-1, -1};
  int back[2] = {-1, -1};
  if (pipe2(there, O_CLOEXEC) != 0) return broke_error(error_text(errno));
  const File there_read(there[0]);
  const File there_write(there[1]);
  if (pipe2(back, O_CLOEXEC) != 0) return broke_error(error_text(errno));
  const File back_read(back[0]);
  const File back_write(back[1]);
  const auto measure = [&] {
    double least = switch_ns(there[0], there[1], back[0], back[1]);
    for (int i = 1; i < kRounds; ++i) {
      least = std::min(least, switch_ns(there[0], there[1], back[0], back[1]));
    }
    return least;
  };
  const double plain = measure();
  Result<std::unique_ptr<HostTracer>> tracer = HostTracer::start({});
  if (!tracer) return tracer.error();
  if (const Status status = (*tracer)->add_process(::getpid()); !status) return status.error();
  return std::max(0.0, measure() - plain);
}

}  // namespace tactus::record
