#include "http/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace tactus::http {
namespace {

constexpr std::chrono::seconds kForNextRequest{60};
constexpr std::chrono::seconds kForHead{10};   // from its first byte to its last
constexpr std::chrono::seconds kForPiece{30};  // of a body
constexpr std::chrono::seconds kForRest{2};
constexpr std::size_t kPiece = 256 << 10;         // [bytes] that must go out in kForPiece
constexpr std::uint64_t kMostDropped = 64 << 20;  // [bytes]

}  // namespace

Connection::Connection(int fd) : fd_(fd) {
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool Connection::receive(Deadline deadline) {
  return receive_some(fd_, buffer_, deadline) == Received::kSome;
}

Connection::Head Connection::read_head(std::string& head) {
  if (buffer_.empty() && !receive(Clock::now() + kForNextRequest)) return Head::kClosed;
  const Deadline deadline = Clock::now() + kForHead;
  while (true) {
    if (const std::optional<std::size_t> end = end_of_head(buffer_)) {
      if (*end > Request::kLongestHead) return Head::kTooLong;
      head = buffer_.substr(0, *end);
      buffer_.erase(0, *end);
      return Head::kRead;
    }
    if (buffer_.size() > Request::kLongestHead) return Head::kTooLong;
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
    const std::string_view piece = bytes.substr(0, kPiece);
    if (!send_all(fd_, piece, Clock::now() + kForPiece)) return false;
    bytes.remove_prefix(piece.size());
  }
  return true;
}

void Connection::end() {
  ::shutdown(fd_, SHUT_WR);
  const Deadline deadline = Clock::now() + kForRest;
  std::uint64_t dropped = 0;
  while (dropped < kMostDropped && receive(deadline)) {
    dropped += buffer_.size();
    buffer_.clear();
  }
}

}  // namespace tactus::http
