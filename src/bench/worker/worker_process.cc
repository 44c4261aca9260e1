#include "bench/worker/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "bench/worker/child_processes.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;
using Line = Channel::Line;

constexpr std::uint64_t kLongestFrame = std::uint64_t{1} << 28;
constexpr off_t kPrintedBytes = 1 << 16;
constexpr int kLineLost = 86;  ///< exit code of a worker that could not answer
constexpr int kThrew = 87;     ///< of one that ended by an exception

bool send_all(int socket, const void* from, std::size_t bytes) {
  const auto* data = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// Waits for something to read; -1 waits without limit.
Line wait_for(int socket, int other, int wait_ms) {
  pollfd ready[2] = {{.fd = socket, .events = POLLIN, .revents = 0},
                     {.fd = other, .events = POLLIN, .revents = 0}};
  const int count = poll(ready, 2, wait_ms);
  if (count < 0) return errno == EINTR ? Line::kOpen : Line::kClosed;
  if (count == 0) return Line::kSilent;
  if (ready[0].revents != 0) return Line::kOpen;
  // It ended; its last data may have arrived after the last look.
  return poll(ready, 1, 0) > 0 ? Line::kOpen : Line::kClosed;
}

Line receive_all(int socket, int other, void* into, std::size_t bytes,
                 std::optional<Clock::time_point> end) {
  auto* data = static_cast<std::byte*>(into);
  while (bytes > 0) {
    int wait_ms = -1;
    if (end) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now());
      if (left.count() < 0) return Line::kSilent;
      wait_ms = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1 << 30));
    }
    const Line line = wait_for(socket, other, wait_ms);
    if (line == Line::kSilent) continue;  // the clock decides
    if (line != Line::kOpen) return line;
    const ssize_t got = recv(socket, data, bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return Line::kClosed;
    data += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Line::kOpen;
}

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

/// The first steps of the child: it ends with its parent, writes no core file, reads nothing from
/// the user, and its output goes to a private file.
void settle(pid_t parent, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  setpgid(0, 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  // Output that the parent has buffered must not be written by the worker.
  __fpurge(stdout);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
}

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

}  // namespace

bool Channel::send(const Frame& frame) const {
  const std::uint64_t bytes = frame.size();
  return send_all(socket_, &bytes, sizeof bytes) && send_all(socket_, frame.data(), frame.size());
}

Channel::Received Channel::receive(double seconds) const {
  std::optional<Clock::time_point> end;
  if (seconds >= 0) {
    end = Clock::now() +
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  std::uint64_t bytes = 0;
  Line line = receive_all(socket_, other_, &bytes, sizeof bytes, end);
  if (line != Line::kOpen) return {line, std::nullopt};
  if (bytes > kLongestFrame) return {Line::kGarbled, std::nullopt};
  Frame frame(bytes);
  line = receive_all(socket_, other_, frame.data(), bytes, end);
  if (line != Line::kOpen) return {line, std::nullopt};
  return {line, std::move(frame)};
}

Result<WorkerProcess> WorkerProcess::start(const std::function<void(const Channel&)>& serve) {
  WorkerProcess worker;
  int sockets[2];
  worker.output_ = make_output();
  if (worker.output_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return broke_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  }
  worker.socket_ = sockets[0];
  adopt_orphans();
  worker.others_ = child_processes();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    settle(parent, worker.output_);
    close(sockets[0]);
    serve_to_the_end(serve, Channel(sockets[1]));
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
      process_(std::exchange(other.process_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      output_(std::exchange(other.output_, -1)),
      others_(std::move(other.others_)) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    end_all();
  }
  for (const int descriptor : {process_, socket_, output_}) {
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
  const Channel channel(socket_, process_);
  Line line = Line::kClosed;
  if (channel.send(request)) {
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

std::string WorkerProcess::printed() const {
  // The worker writes through a copy of this descriptor, so they share the position.
  const off_t end = std::clamp<off_t>(lseek(output_, 0, SEEK_CUR), 0, kPrintedBytes);
  std::string text(static_cast<std::size_t>(end), '\0');
  const ssize_t got = pread(output_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace tactus
