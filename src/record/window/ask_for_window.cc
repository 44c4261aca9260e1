#include "record/window/ask_for_window.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>

#include "record/session/processes.h"

namespace tactus::record {
namespace {

using Clock = std::chrono::steady_clock;
/// A recorder answers within its next commits; CUPTI takes a second to load.
constexpr double kToAnswer = 10;  // [s]

/// Who holds a lock of a file, as /proc/locks tells it:
///
///     1: FLOCK  ADVISORY  WRITE 4711 00:01:1035 0 EOF
std::optional<std::int64_t> lock_holder(const File& file, const std::string& proc) {
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) return std::nullopt;
  const std::string wanted =
      fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  std::ifstream locks(proc + "/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, strength, access, place;
    std::int64_t pid = 0;
    words >> number >> kind >> strength >> access >> pid >> place;
    if (kind == "FLOCK" && place == wanted && pid > 0) return pid;
  }
  return std::nullopt;
}

Error cannot_ask(std::int64_t recorder, const std::string& why) {
  return usage_error(fmt::format(
      "it is being recorded already by process {}, which cannot be asked for full mode: {}",
      recorder, why));
}

/// A packet, if one comes in time.
bool receive(const File& connection, WindowAnswer& answer, double seconds) {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(seconds));
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{.fd = connection.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(std::min<long>(left.count(), 1'000'000))) != 1) continue;
    const ssize_t got = ::recv(connection.fd(), &answer, sizeof answer, MSG_DONTWAIT);
    // Who refuses closes at once, perhaps before it read the wish: its answer comes behind that.
    if (got < 0 && (errno == ECONNRESET || errno == EAGAIN || errno == EINTR)) continue;
    return got == sizeof answer && answer.magic == kWindowMagic;
  }
}

}  // namespace

std::optional<std::int64_t> recorder_of(std::int64_t pid, const std::string& proc) {
  for (const std::int64_t member : with_descendants(pid, proc)) {
    const std::optional<Arrival> agent = find_agent(member, proc);
    if (!agent) continue;
    if (const auto holder = lock_holder(agent->control, proc)) return holder;
  }
  return std::nullopt;
}

Result<WindowAccount> ask_for_window(std::int64_t recorder, const WindowWish& wish,
                                     const std::function<void(const WindowAccount&)>& begun) {
  const File connection(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const wire::SocketAddress address = window_address(recorder);
  if (!connection.is_open() || ::connect(connection.fd(), address.get(), address.size) != 0) {
    return cannot_ask(recorder,
                      "it is of another version of Tactus, or in a container of its own; wait for "
                      "that recording to end");
  }
  ucred peer{};
  if (!wire::find_peer(connection.fd(), peer) ||
      (peer.uid != ::geteuid() && peer.uid != 0 && ::geteuid() != 0)) {
    return cannot_ask(recorder, "it is of another user");
  }
  WindowAnswer answer;
  const bool is_sent =
      ::send(connection.fd(), &wish, sizeof wish, MSG_NOSIGNAL) == sizeof wish || errno == EPIPE;
  if (!is_sent || !receive(connection, answer, kToAnswer)) {
    return cannot_ask(recorder, "it does not answer, as one of another user or version does not");
  }
  const auto account = [&] {
    return WindowAccount{.recorder = recorder,
                         .file = text_in(answer.file),
                         .from_ns = answer.from_ns,
                         .to_ns = answer.to_ns,
                         .kernels = answer.kernels,
                         .text = text_in(answer.text)};
  };
  if (answer.news == WindowNews::kBegun) {
    begun(account());
    constexpr double kAnyTime = 1e8;
    const double most = wish.seconds > 0 ? wish.seconds + kToAnswer : kAnyTime;
    if (!receive(connection, answer, most)) {
      return broke_error(
          fmt::format("process {}, which records, is gone or does not answer any "
                      "more; what it recorded is in {}",
                      recorder, account().file));
    }
  }
  if (answer.news == WindowNews::kRefused) {
    return usage_error(fmt::format("no full mode in the recording of process {}: {}", recorder,
                                   text_in(answer.text)));
  }
  return account();
}

}  // namespace tactus::record
