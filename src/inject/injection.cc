#include "inject/injection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <thread>

#include "inject/announcement.h"
#include "inject/one_at_a_time.h"
#include "record/session/signal_reader.h"

namespace tactus::inject {
namespace {

/// The injector may be this late before it is killed from outside.
constexpr double kGrace = 2;  // [s]
/// How often it is looked whether the load has begun.
constexpr std::int64_t kLook = 20'000'000;  // [ns]
constexpr std::uint64_t kRoomPerThread = 16 << 20;
constexpr std::uint64_t kRoom = 512 << 20;
constexpr std::uint64_t kDriverFiles = 64 << 20;

/// Memory that both processes see.
struct Unmap {
  void operator()(Dose* dose) const { ::munmap(dose, sizeof(Dose)); }
};
std::unique_ptr<Dose, Unmap> shared_dose() {
  void* memory =
      ::mmap(nullptr, sizeof(Dose), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return std::unique_ptr<Dose, Unmap>(memory == MAP_FAILED ? nullptr : new (memory) Dose);
}

std::uint64_t own_address_space() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit(__rlimit_resource what, std::uint64_t most) {
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(what, &both);
}

/// What the injector may take, set by itself before it begins.
void set_limits(const Plan& plan) {
  limit(RLIMIT_CORE, 0);
  // The driver of a GPU has small files without a name, and would be ended by a limit of 0.
  limit(RLIMIT_FSIZE, plan.uses_gpu ? kDriverFiles : plan.file_bytes);
  if (plan.uses_gpu) ::setenv("CUDA_CACHE_DISABLE", "1", 1);  // nothing stays behind
  if (!plan.uses_gpu) {
    limit(RLIMIT_AS,
          own_address_space() + plan.memory_bytes + plan.cores.size() * kRoomPerThread + kRoom);
  }
  // If memory runs out, this process goes first.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  ::mallopt(M_ARENA_MAX, 1);
}

/// The load, in its own process.
[[noreturn]] void be_injector(const Plan& plan, pid_t parent, int lifeline, Dose& dose) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2}) {
    std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error of the write
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  set_limits(plan);
  // The last resort if a call hangs: the kernel's timer ends the process.
  const itimerval alarm{
      .it_interval = {},
      .it_value = {.tv_sec = static_cast<time_t>(std::ceil(plan.request.seconds + kGrace)),
                   .tv_usec = 0}};
  ::setitimer(ITIMER_REAL, &alarm, nullptr);
  std::thread([lifeline] {
    pollfd ready{.fd = lifeline, .events = 0, .revents = 0};
    while (::poll(&ready, 1, -1) <= 0) {
    }
    ::_exit(0);
  }).detach();
  const Pace pace(plan.request, monotonic_ns());
  dose.begin(wall_clock_ns());
  find_scenario(plan.request.scenario)->run(plan, pace, dose);
  dose.end_ns = wall_clock_ns();
  ::_exit(0);
}

class Supervisor {
 public:
  Supervisor(const Plan& plan, const InjectOptions& options, const File& turn, Dose& dose)
      : plan_(plan),
        options_(options),
        dose_(dose),
        announcement_(turn, plan.request, process_start_ns()) {
    account_.started_ns = announcement_.started_ns();
  }

  Result<InjectAccount> run() {
    const record::SignalReader signals;
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return broke_error("cannot make a pipe");
    const File lifeline(ends[0]);
    File alive(ends[1]);
    const pid_t own = ::getpid();
    const pid_t injector = ::fork();
    if (injector < 0) return broke_error("cannot start the injector: " + error_text(errno));
    if (injector == 0) {
      alive.close();
      be_injector(plan_, own, lifeline.fd(), dose_);
    }
    const File process(static_cast<int>(::syscall(SYS_pidfd_open, injector, 0)));
    wait(signals, process);
    ::kill(injector, SIGKILL);
    int status = 0;
    rusage used{};
    while (::wait4(injector, &status, 0, &used) < 0 && errno == EINTR) {
    }
    Result<InjectAccount> done = account(status, used);
    if (done && dose_.begin_ns != 0) {
      announcement_.tell(done->begin_ns, done->end_ns);
      announcement_.linger();
    }
    return done;
  }

 private:
  void wait(const record::SignalReader& signals, const File& process) {
    const std::int64_t deadline =
        monotonic_ns() + static_cast<std::int64_t>((plan_.request.seconds + kGrace) * 1e9);
    while (monotonic_ns() < deadline) {
      pollfd wakes[] = {
          {.fd = signals.fd(), .events = POLLIN, .revents = 0},
          {.fd = process.fd(), .events = POLLIN, .revents = 0},
          {.fd = options_.until_eof ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0},
          {.fd = announcement_.fd(), .events = POLLIN, .revents = 0}};
      const std::int64_t next =
          announcement_.has_begun() ? deadline : std::min(deadline, monotonic_ns() + kLook);
      ::poll(wakes, 4, static_cast<int>((next - monotonic_ns()) / 1'000'000 + 1));
      announcement_.tell(dose_.begin_ns, 0);
      if (wakes[3].revents != 0) announcement_.serve();
      while (const int signal = signals.next()) {
        if (signal == SIGCHLD || signal == SIGUSR1 || signal == SIGUSR2) continue;
        account_.ending = Ending::kInterrupted;
        account_.signal = signal;
        return;
      }
      if ((wakes[1].revents & POLLIN) != 0) return;
      char rest[64];
      if (wakes[2].revents != 0 && ::read(STDIN_FILENO, rest, sizeof rest) <= 0) {
        account_.ending = Ending::kInterrupted;
        return;
      }
    }
  }

  Result<InjectAccount> account(int status, const rusage& used) {
    dose_.problem.back() = '\0';
    account_.problem = dose_.problem.data();
    if (dose_.was_refused) {
      return input_error(
          fmt::format("{} is refused: {}", plan_.request.scenario, account_.problem));
    }
    account_.begin_ns = dose_.begin_ns;
    account_.end_ns = dose_.end_ns != 0 ? dose_.end_ns.load() : wall_clock_ns();
    if (account_.begin_ns == 0) account_.begin_ns = account_.end_ns;
    if (account_.ending == Ending::kDone && !account_.problem.empty()) {
      account_.ending = Ending::kEarly;
    } else if (account_.ending == Ending::kDone && dose_.end_ns == 0) {
      account_.ending = Ending::kKilled;
      account_.problem = WIFSIGNALED(status)
                             ? fmt::format("signal {} ended the injector", WTERMSIG(status))
                             : "the injector ended by itself";
    }
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    const double lasted = account_.seconds();
    if (lasted > 0) {
      account_.cores = (seconds(used.ru_utime) + seconds(used.ru_stime)) / lasted;
      account_.stopped_share = static_cast<double>(dose_.stopped_ns) / 1e9 / lasted;
    }
    account_.bytes = dose_.bytes;
    account_.most_bytes = dose_.most_bytes;
    account_.operations = dose_.operations;
    return account_;
  }

  const Plan& plan_;
  const InjectOptions& options_;
  Dose& dose_;
  Announcement announcement_;
  InjectAccount account_;
};

}  // namespace

std::string_view ending_name(Ending ending) {
  switch (ending) {
    case Ending::kDone: return "done";
    case Ending::kEarly: return "early";
    case Ending::kInterrupted: return "interrupted";
    case Ending::kKilled: return "killed";
  }
  return "killed";
}

Result<InjectAccount> inject(const Plan& plan, const InjectOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Result<File> turn = take_the_turn();
  if (!turn) return turn.error();
  const auto dose = shared_dose();
  if (dose == nullptr) return broke_error("no memory to share with the injector");
  return Supervisor(plan, options, *turn, *dose).run();
}

}  // namespace tactus::inject
