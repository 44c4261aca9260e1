#include "http/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace tactus::http {
namespace {

constexpr std::size_t kMostConnections = 64;
constexpr int kLookAround = 200;  // [ms] between looks at whether to stop

}  // namespace

Listener::~Listener() {
  stop();
}

Status Listener::bind(const std::string& host, int port) {
  struct addrinfo wanted {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  struct addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) {
    return usage_error(host + ": is not an address of this machine");
  }
  const std::unique_ptr<struct addrinfo, void (*)(struct addrinfo*)> owned(found, ::freeaddrinfo);
  socket_ = File(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(socket_.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket_.fd(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(socket_.fd(), 64) != 0) {
    return usage_error(host + ":" + std::to_string(port) +
                       ": cannot listen there: " + error_text(errno) + "; give another address");
  }
  struct sockaddr_storage own {};
  socklen_t size = sizeof own;
  ::getsockname(socket_.fd(), reinterpret_cast<struct sockaddr*>(&own), &size);
  port_ = own.ss_family == AF_INET6
              ? ntohs(reinterpret_cast<const struct sockaddr_in6*>(&own)->sin6_port)
              : ntohs(reinterpret_cast<const struct sockaddr_in*>(&own)->sin_port);
  return {};
}

void Listener::remove_done() {
  const std::lock_guard lock(mutex_);
  for (auto at = workers_.begin(); at != workers_.end();) {
    if (!at->is_done) {
      ++at;
      continue;
    }
    at->thread.join();
    at = workers_.erase(at);
  }
}

void Listener::run(const Handler& handler) {
  while (!is_stopping_) {
    struct pollfd waited {
      .fd = socket_.fd(), .events = POLLIN, .revents = 0
    };
    const int ready = ::poll(&waited, 1, kLookAround);
    remove_done();
    if (ready <= 0) continue;
    const int fd = ::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    if (workers_.size() >= kMostConnections || is_stopping_) {
      ::close(fd);
      continue;
    }
    Worker& worker = workers_.emplace_back();
    worker.fd = fd;
    worker.thread = std::thread([this, &worker, &handler] {
      handler(worker.fd);
      const std::lock_guard done(mutex_);
      ::close(worker.fd);
      worker.fd = -1;
      worker.is_done = true;
    });
  }
  stop();
  while (true) {
    remove_done();
    {
      const std::lock_guard lock(mutex_);
      if (workers_.empty()) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Listener::stop() {
  is_stopping_ = true;
  const std::lock_guard lock(mutex_);
  for (Worker& worker : workers_) {
    if (worker.fd >= 0) ::shutdown(worker.fd, SHUT_RDWR);
  }
}

}  // namespace tactus::http
