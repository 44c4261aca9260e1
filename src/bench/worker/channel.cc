#include "bench/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;
using Line = Channel::Line;

constexpr std::uint64_t kLongestFrame = std::uint64_t{1} << 28;

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

}  // namespace tactus
