#include "inject/watchdog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>

namespace tactus::inject {
namespace {

constexpr char kWillStop = 'S';
constexpr char kContinued = 'C';

/// Closes all descriptors but two: those of the terminal, of pipes and locks are not its own.
void keep_only(int low, int high) {
  const auto close_between = [](int first, int last) {
    if (first <= last) {
      ::close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0);
    }
  };
  close_between(0, low - 1);
  close_between(low + 1, high - 1);
  close_between(high + 1, INT_MAX);
}

/// Reads what the injector says until nobody is left who could.
[[noreturn]] void watch(int target, int pipe) {
  ::setsid();
  keep_only(std::min(target, pipe), std::max(target, pipe));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    std::signal(signal, SIG_IGN);
  }
  bool is_stopped = false;
  while (true) {
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    const int count = ::poll(&ready, 1, is_stopped ? kLongestStopMs : -1);
    if (count < 0 && errno == EINTR) continue;
    char said = 0;
    const ssize_t got = count > 0 ? ::read(pipe, &said, 1) : 0;
    if (got == 1) {
      is_stopped = said == kWillStop;
      continue;
    }
    if (is_stopped) ::syscall(SYS_pidfd_send_signal, target, SIGCONT, nullptr, 0);
    is_stopped = false;
    if (count != 0) ::_exit(0);
  }
}

}  // namespace

Result<Watchdog> Watchdog::start(std::int64_t pid) {
  File target(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  if (!target.is_open()) return input_error(fmt::format("process {}: {}", pid, error_text(errno)));
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return broke_error("cannot make a pipe");
  const File reading(ends[0]);
  File writing(ends[1]);
  const pid_t between = ::fork();
  if (between < 0) return broke_error("cannot start the watchdog: " + error_text(errno));
  if (between == 0) {
    writing.close();
    // The second fork gives it to the first process, so that nobody has to wait for it.
    if (::fork() == 0) watch(target.fd(), reading.fd());
    ::_exit(0);
  }
  ::waitpid(between, nullptr, 0);
  return Watchdog(std::move(target), std::move(writing));
}

bool Watchdog::will_stop() const {
  return ::write(pipe_.fd(), &kWillStop, 1) == 1;
}

bool Watchdog::was_continued() const {
  return ::write(pipe_.fd(), &kContinued, 1) == 1;
}

}  // namespace tactus::inject
