#include "serve/http/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace tactus::serve {
namespace {

constexpr std::chrono::seconds kForNextRequest{60};
constexpr std::chrono::seconds kForHead{10};   // from its first byte to its last
constexpr std::chrono::seconds kForPiece{30};  // of a body
constexpr std::chrono::seconds kForRest{2};
constexpr std::uint64_t kMostDropped = 64 << 20;  // [bytes]

}  // namespace

Connection::Connection(int fd) : fd_(fd) {
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool Connection::wait(short events, Clock::time_point deadline) const {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    struct pollfd waited {
      .fd = fd_, .events = events, .revents = 0
    };
    const int ready = ::poll(&waited, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Connection::receive(Clock::time_point deadline) {
  constexpr std::size_t kPart = 64 << 10;
  const std::size_t at = buffer_.size();
  buffer_.resize(at + kPart);
  while (true) {
    const ssize_t got = ::recv(fd_, buffer_.data() + at, kPart, 0);
    buffer_.resize(at + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got > 0) return true;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    if (!wait(POLLIN, deadline)) return false;
    buffer_.resize(at + kPart);
  }
}

Connection::Head Connection::read_head(std::string& head) {
  if (buffer_.empty() && !receive(Clock::now() + kForNextRequest)) return Head::kClosed;
  const Clock::time_point deadline = Clock::now() + kForHead;
  while (true) {
    if (const std::optional<std::size_t> end = end_of_head(buffer_)) {
      if (*end > HttpRequest::kLongestHead) return Head::kTooLong;
      head = buffer_.substr(0, *end);
      buffer_.erase(0, *end);
      return Head::kRead;
    }
    if (buffer_.size() > HttpRequest::kLongestHead) return Head::kTooLong;
    if (!receive(deadline)) return Head::kClosed;
  }
}

bool Connection::read_body(std::uint64_t bytes, const std::function<bool(std::string_view)>& take) {
  while (bytes != 0) {
    if (buffer_.empty() && !receive(Clock::now() + kForPiece)) return false;
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, buffer_.size()));
    if (!take(std::string_view(buffer_).substr(0, size))) return false;
    buffer_.erase(0, size);
    bytes -= size;
  }
  return true;
}

bool Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      return false;
    } else if (!wait(POLLOUT, Clock::now() + kForPiece)) {
      return false;
    }
  }
  return true;
}

void Connection::end() {
  ::shutdown(fd_, SHUT_WR);
  const Clock::time_point deadline = Clock::now() + kForRest;
  std::uint64_t dropped = 0;
  while (dropped < kMostDropped && receive(deadline)) {
    dropped += buffer_.size();
    buffer_.clear();
  }
}

}  // namespace tactus::serve
