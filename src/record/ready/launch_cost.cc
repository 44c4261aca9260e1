#include "record/ready/launch_cost.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/file.h"
#include "record/session/command.h"
#include "record/session/targets.h"

namespace tactus::record {
namespace {

using Clock = std::chrono::steady_clock;
using LaunchCall = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, void*, void**, void**);

constexpr int kBursts = 41;
constexpr int kLaunches = 1000;  // per burst; a ring has room for 8192

double burst_ns(LaunchCall launch) {
  static char kernel = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < kLaunches; ++i) {
    launch(&kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  }
  const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
  return took.count() / kLaunches;
}

double launch_ns(LaunchCall launch) {
  std::vector<double> times;
  for (int i = 0; i < kBursts; ++i) {
    times.push_back(burst_ns(launch));
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // the recorder reads meanwhile
  }
  std::nth_element(times.begin(), times.begin() + kBursts / 2, times.end());
  return times[kBursts / 2];
}

struct Answer {
  double plain_ns = 0;
  double idle_ns = 0;
  double recorded_ns = 0;
};

/// The child: has the agent inside, launches before and while it is recorded. Never returns.
[[noreturn]] void launch_in_child(const std::string& agent, const std::string& driver, int from,
                                  int to) {
  alarm(10);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // its parent, who may have forbidden that, looks into it
  void* const agent_library = dlopen(agent.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const driver_library = dlopen(driver.c_str(), RTLD_NOW);
  if (agent_library == nullptr || driver_library == nullptr) _exit(1);
  using FindSymbol = void* (*)(void*, const char*);
  const auto find = reinterpret_cast<FindSymbol>(dlsym(agent_library, "dlsym"));
  const auto plain = reinterpret_cast<LaunchCall>(dlsym(driver_library, "cuLaunchKernel"));
  if (find == nullptr || plain == nullptr) _exit(1);
  const auto hooked = reinterpret_cast<LaunchCall>(find(driver_library, "cuLaunchKernel"));
  if (hooked == nullptr || hooked == plain) _exit(1);
  Answer answer;
  answer.plain_ns = launch_ns(plain);
  answer.idle_ns = launch_ns(hooked);
  char go = 0;
  if (write(to, "r", 1) != 1 || read(from, &go, 1) != 1) _exit(1);
  answer.recorded_ns = launch_ns(hooked);
  _exit(write(to, &answer, sizeof answer) == sizeof answer ? 0 : 1);
}

/// Reads so many bytes; false if they do not come.
bool receive(int from, void* into, std::size_t bytes) {
  pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
  constexpr int kPatience = 10'000;  // [ms]
  return ::poll(&ready, 1, kPatience) == 1 &&
         ::read(from, into, bytes) == static_cast<ssize_t>(bytes);
}

/// Records the child while it launches.
Result<Answer> record_child(pid_t child, int from, int to) {
  const Error failed = broke_error("the program that launches for the measurement failed");
  char ready = 0;
  if (!receive(from, &ready, 1)) return failed;
  Targets targets({.wishes = {.budget_ppm = 0}, .listener = nullptr, .root_pid = 0});
  if (const Status status = targets.attach(child); !status) return status.error();
  targets.begin();
  Answer answer;
  const bool is_done = ::write(to, "g", 1) == 1 && receive(from, &answer, sizeof answer);
  targets.end();
  std::uint64_t records = 0;
  for (const Harvest::Part& part : targets.take().parts) records += part.records.size();
  if (!is_done) return failed;
  // A launch whose record finds no room is cheaper; a few do not matter.
  constexpr std::uint64_t kEnough = kLaunches * kBursts * 9 / 10;
  if (records < kEnough) {
    return broke_error("the machine is too busy: records of launches were lost");
  }
  return answer;
}

}  // namespace

namespace {

Result<LaunchCost> measure_once() {
  const Result<std::string> agent = find_agent_library();
  if (!agent) return agent.error();
  const std::string driver =
      (std::filesystem::path(*agent).parent_path() / "libtactus-no-driver.so").string();
  int to_child[2] = {-1, -1};
  int to_parent[2] = {-1, -1};
  if (pipe2(to_child, O_CLOEXEC) != 0) return broke_error(error_text(errno));
  const File child_reads(to_child[0]);
  const File parent_writes(to_child[1]);
  if (pipe2(to_parent, O_CLOEXEC) != 0) return broke_error(error_text(errno));
  const File parent_reads(to_parent[0]);
  File child_writes(to_parent[1]);
  const pid_t child = fork();
  if (child < 0) return broke_error(error_text(errno));
  if (child == 0) launch_in_child(*agent, driver, to_child[0], to_parent[1]);
  child_writes.close();
  const Result<Answer> answer = record_child(child, parent_reads.fd(), parent_writes.fd());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (!answer) return answer.error();
  return LaunchCost{.idle_ns = std::max(0.0, answer->idle_ns - answer->plain_ns),
                    .recorded_ns = std::max(0.0, answer->recorded_ns - answer->plain_ns)};
}

}  // namespace

Result<LaunchCost> measure_launch_cost() {
  constexpr int kTries = 3;
  Result<LaunchCost> cost = measure_once();
  for (int i = 1; i < kTries && !cost; ++i) cost = measure_once();
  return cost;
}

}  // namespace tactus::record
