#include "http/sockets.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace tactus::http {

bool wait_for(int fd, short events, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{.fd = fd, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Result<File> connect_to(const std::string& host, std::uint16_t port, Deadline deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  if (const int error = ::getaddrinfo(host.c_str(), service.c_str(), &hints, &found); error != 0) {
    return input_error(host + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  int failed = ECONNREFUSED;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    File socket(
        ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol));
    if (!socket.is_open()) continue;
    if (::connect(socket.fd(), at->ai_addr, at->ai_addrlen) != 0) {
      failed = errno;
      if (failed != EINPROGRESS) continue;
      if (!wait_for(socket.fd(), POLLOUT, deadline)) {
        failed = ETIMEDOUT;
        continue;
      }
      socklen_t size = sizeof failed;
      ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &failed, &size);
      if (failed != 0) continue;
    }
    return socket;
  }
  return input_error(host + ":" + service + ": " + error_text(failed));
}

bool send_all(int fd, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
    if (!wait_for(fd, POLLOUT, deadline)) return false;
  }
  return true;
}

Received receive_some(int fd, std::string& into, Deadline deadline) {
  for (;;) {
    char buffer[64 << 10];
    const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
    if (got > 0) {
      into.append(buffer, static_cast<std::size_t>(got));
      return Received::kSome;
    }
    if (got == 0) return Received::kEnd;
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return Received::kBroken;
    if (!wait_for(fd, POLLIN, deadline)) return Received::kLate;
  }
}

}  // namespace tactus::http
