#include "bench/worker_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLongestFrame = std::uint64_t{1} << 28;
constexpr std::size_t kPrintedBytes = 4096;

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

bool receive_all(int socket, void* into, std::size_t bytes, double seconds) {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(seconds));
  auto* data = static_cast<std::byte*>(into);
  while (bytes > 0) {
    int wait_ms = -1;
    if (seconds >= 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) return false;
      wait_ms = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1 << 30));
    }
    pollfd ready = {.fd = socket, .events = POLLIN, .revents = 0};
    const int count = poll(&ready, 1, wait_ms);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t got = recv(socket, data, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

/// What the child does before anything else: whatever becomes of it, it ends with its parent, it
/// writes no core file, and what it prints goes nowhere that matters.
void settle(pid_t parent, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  setpgid(0, 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
}

}  // namespace

bool Channel::send(const Frame& frame) const {
  const std::uint64_t bytes = frame.size();
  return send_all(socket_, &bytes, sizeof bytes) && send_all(socket_, frame.data(), frame.size());
}

std::optional<Frame> Channel::receive(double seconds) const {
  std::uint64_t bytes = 0;
  if (!receive_all(socket_, &bytes, sizeof bytes, seconds) || bytes > kLongestFrame) {
    return std::nullopt;
  }
  Frame frame(bytes);
  if (!receive_all(socket_, frame.data(), bytes, seconds)) return std::nullopt;
  return frame;
}

Result<WorkerProcess> WorkerProcess::start(const std::function<void(const Channel&)>& serve) {
  int sockets[2];
  const int output = memfd_create("tactus-worker-output", MFD_CLOEXEC);
  if (output < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return broke_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return broke_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  if (pid == 0) {
    settle(parent, output);
    close(sockets[0]);
    serve(Channel(sockets[1]));
    _exit(0);
  }
  close(sockets[1]);
  return WorkerProcess(pid, sockets[0], output);
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      output_(std::exchange(other.output_, -1)) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (socket_ >= 0) close(socket_);
  if (output_ >= 0) close(output_);
}

Result<Frame> WorkerProcess::ask(const Frame& request, double seconds) {
  const Clock::time_point begin = Clock::now();
  const Channel channel(socket_);
  if (pid_ > 0 && channel.send(request)) {
    std::optional<Frame> answer = channel.receive(seconds);
    if (answer) return std::move(*answer);
  }
  const double waited = std::chrono::duration<double>(Clock::now() - begin).count();
  return broke_error(end(waited >= seconds, seconds));
}

std::string WorkerProcess::end(bool too_late, double seconds) {
  if (pid_ <= 0) return "its process has ended";
  // One that closed the line but lives on is not waited for long.
  constexpr int kGraceMs = 1000;
  int status = 0;
  bool ended = false;
  for (int waited_ms = 0; !too_late && !ended && waited_ms < kGraceMs; waited_ms += 10) {
    ended = waitpid(pid_, &status, WNOHANG) == pid_;
    if (!ended) usleep(10000);
  }
  if (!ended) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
  }
  kill(-pid_, SIGKILL);  // processes that it started
  pid_ = -1;
  if (too_late) return fmt::format("no answer within {:.0f} s", seconds);
  if (WIFSIGNALED(status)) return fmt::format("crashed: {}", strsignal(WTERMSIG(status)));
  return fmt::format("ended the process by itself (exit {})", WEXITSTATUS(status));
}

std::string WorkerProcess::printed() const {
  const off_t end = lseek(output_, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(kPrintedBytes));
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, end - begin)), '\0');
  const ssize_t got = pread(output_, text.data(), text.size(), begin);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace tactus
