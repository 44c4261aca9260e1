#include "bench/worker/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <utility>

#include "bench/worker/child_processes.h"
#include "bench/worker/child_setup.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;
using Line = Channel::Line;

constexpr off_t kPrintedBytes = 1 << 16;
constexpr int kLineLost = 86;  ///< exit code of a worker that could not answer
constexpr int kThrew = 87;     ///< of one that ended by an exception

/// Takes only this much output: the rest is dropped and costs no memory.
int make_output() {
  const int output = memfd_create("tactus-worker-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (output < 0) return -1;
  if (ftruncate(output, kPrintedBytes) != 0 ||
      fcntl(output, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    close(output);
    return -1;
  }
  return output;
}

std::string ended_text(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL) return "was killed: perhaps the machine ran out of memory";
    return fmt::format("crashed: {}", strsignal(signal));
  }
  if (WEXITSTATUS(status) == kThrew) return "threw an exception";
  if (WEXITSTATUS(status) == kLineLost) return "closed a file descriptor that is not its own";
  return fmt::format("ended the process by itself (exit {})", WEXITSTATUS(status));
}

constexpr int kWorkerSocket = 3;
constexpr const char* kWorkerArgument = "--serve-as-a-worker-of-tactus";

}  // namespace

/// An exception must not leave here: this process would continue as a copy of its parent.
[[noreturn]] void serve_to_the_end(const std::function<void(const Channel&)>& serve,
                                   const Channel& channel) noexcept {
  try {
    serve(channel);
  } catch (const std::exception& exception) {
    const std::string_view what = exception.what();
    if (write(STDERR_FILENO, what.data(), what.size()) < 0) _exit(kThrew);
    _exit(kThrew);
  } catch (...) {
    _exit(kThrew);
  }
  _exit(kLineLost);
}

std::optional<Channel> worker_channel(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], kWorkerArgument) != 0) return std::nullopt;
  return Channel(kWorkerSocket);
}

Result<WorkerProcess> WorkerProcess::start(const std::function<void(const Channel&)>& serve) {
  return start([&](int socket) { serve_to_the_end(serve, Channel(socket)); });
}

Result<WorkerProcess> WorkerProcess::start_anew() {
  return start([](int socket) {
    if (socket == kWorkerSocket) {
      fcntl(socket, F_SETFD, 0);  // stays open
    } else {
      dup2(socket, kWorkerSocket);
    }
    std::string argument = kWorkerArgument;
    std::string name = "tactus";
    char* arguments[] = {name.data(), argument.data(), nullptr};
    execv("/proc/self/exe", arguments);
  });
}

Result<WorkerProcess> WorkerProcess::start(const std::function<void(int socket)>& become) {
  WorkerProcess worker;
  int sockets[2];
  worker.output_ = make_output();
  if (worker.output_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return broke_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  }
  worker.socket_ = sockets[0];
  struct stat line {};
  if (fstat(sockets[1], &line) == 0) worker.line_ = line.st_ino;
  adopt_orphans();
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // the worker must not look into this process
  worker.others_ = child_processes();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    settle_worker(parent, worker.output_, sockets[1]);
    clean_environment();
    become(sockets[1]);
    _exit(kLineLost);
  }
  close(sockets[1]);
  if (pid < 0) return broke_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  worker.pid_ = pid;
  setpgid(pid, pid);  // both processes do it, so it is done in any order
  worker.process_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      stopped_(other.stopped_),
      process_(std::exchange(other.process_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      memory_(std::exchange(other.memory_, -1)),
      output_(std::exchange(other.output_, -1)),
      line_(other.line_),
      others_(std::move(other.others_)) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    end_all();
  }
  for (const int descriptor : {process_, socket_, memory_, output_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

/// Everything that the ended worker started.
void WorkerProcess::end_all() {
  kill(-pid_, SIGKILL);
  end_other_children(others_);
  pid_ = -1;
}

Result<Frame> WorkerProcess::ask(const Frame& request, double seconds) {
  if (pid_ <= 0) return broke_error("its process has ended");
  if (!stayed_stopped()) {
    end(Line::kSilent, seconds);
    return broke_error("its process continued between calls, when only the judge may work");
  }
  const Channel channel(socket_, process_);
  Line line = Line::kClosed;
  const bool sent = channel.send(request);
  if (std::exchange(stopped_, false)) kill(pid_, SIGCONT);
  if (sent) {
    Channel::Received received = channel.receive(seconds);
    if (received.frame) return std::move(*received.frame);
    line = received.line;
  }
  return broke_error(end(line, seconds));
}

std::string WorkerProcess::end(Line line, double seconds) {
  // If it closed the connection but still runs, do not wait long.
  constexpr int kGraceMs = 1000;
  int status = 0;
  bool ended = false;
  for (int waited_ms = 0; line == Line::kClosed && !ended && waited_ms < kGraceMs;
       waited_ms += 10) {
    const pid_t found = waitpid(pid_, &status, WNOHANG);
    if (found < 0) {  // another part took its status: SIGCHLD is ignored
      end_all();
      return "its process has ended";
    }
    ended = found == pid_;
    if (!ended) usleep(10000);
  }
  if (!ended) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
  }
  end_all();
  if (line == Line::kSilent) return fmt::format("no answer within {:g} s", seconds);
  if (line == Line::kGarbled) return "its process sent something that is not an answer";
  return ended ? ended_text(status) : "closed a file descriptor that is not its own";
}

bool WorkerProcess::stop() {
  if (stopped_) return true;
  if (pid_ <= 0 || kill(pid_, SIGSTOP) != 0) return false;
  // A thread that waits for a child, or a signal that lets the process continue, prevents it.
  constexpr auto kPatience = std::chrono::seconds(5);
  constexpr auto kSoon = std::chrono::milliseconds(1);
  const Clock::time_point begin = Clock::now();
  while (true) {
    siginfo_t seen{};
    // How it ended stays to be asked for.
    const int result =
        waitid(P_PID, static_cast<id_t>(pid_), &seen, WSTOPPED | WEXITED | WNOWAIT | WNOHANG);
    if (result != 0 && errno != EINTR) return false;
    if (result == 0 && seen.si_pid == pid_) {
      if (seen.si_code != CLD_STOPPED) return false;
      waitid(P_PID, static_cast<id_t>(pid_), &seen, WSTOPPED | WNOHANG);
      break;
    }
    const auto waited = Clock::now() - begin;
    if (waited > kPatience) return false;
    if (waited < kSoon) {
      sched_yield();
    } else {
      usleep(100);
    }
  }
  stopped_ = true;
  return true;
}

bool WorkerProcess::open_memory() {
  if (memory_ < 0) memory_ = open(fmt::format("/proc/{}/mem", pid_).c_str(), O_RDWR | O_CLOEXEC);
  return memory_ >= 0;
}

bool WorkerProcess::has_its_line() const {
  const std::string line = fmt::format("/proc/{}/fd/{}", pid_, kWorkerSocket);
  struct stat found {};
  return stat(line.c_str(), &found) != 0 || line_ == 0 || found.st_ino == line_;
}

bool WorkerProcess::stayed_stopped() const {
  if (!stopped_) return true;
  siginfo_t seen{};
  const int result = waitid(P_PID, static_cast<id_t>(pid_), &seen, WCONTINUED | WNOWAIT | WNOHANG);
  return result != 0 || seen.si_pid != pid_;
}

std::optional<WorkerProcess::CpuTime> WorkerProcess::cpu_time() const {
  clockid_t clock{};
  timespec all{};
  if (pid_ <= 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &all) != 0) {
    return std::nullopt;
  }
  CpuTime time;
  time.all_s = static_cast<double>(all.tv_sec) + static_cast<double>(all.tv_nsec) * 1e-9;
  // "3141592 27182 81": on a processor [ns], waiting for one [ns], turns
  std::ifstream statistics(fmt::format("/proc/{0}/task/{0}/schedstat", pid_));
  double first_ns = 0;
  if (!(statistics >> first_ns)) return std::nullopt;
  time.first_thread_s = first_ns * 1e-9;
  return time;
}

bool WorkerProcess::has_children() const {
  if (pid_ <= 0) return false;
  if (!child_processes(pid_).empty()) return true;
  for (const pid_t child : child_processes()) {  // an orphan of the worker is ours
    const bool known = std::find(others_.begin(), others_.end(), child) != others_.end();
    if (!known && child != pid_) return true;
  }
  return false;
}

std::string WorkerProcess::printed() const {
  // The worker writes through a copy of this descriptor, so they share the position.
  const off_t end = std::clamp<off_t>(lseek(output_, 0, SEEK_CUR), 0, kPrintedBytes);
  std::string text(static_cast<std::size_t>(end), '\0');
  const ssize_t got = pread(output_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace tactus
