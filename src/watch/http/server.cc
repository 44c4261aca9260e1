#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/text.h"
#include "watch/http/connection.h"
#include "watch/http/http.h"

namespace tactus::watch {
namespace {

constexpr std::chrono::seconds kPerRequest{2};
constexpr std::size_t kLongestRequest = 8 << 10;

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "Bad Request";
  }
}

void serve_one(int fd, const HttpServer::Handler& handler) {
  const Deadline deadline = std::chrono::steady_clock::now() + kPerRequest;
  std::string request;
  while (request.find("\r\n\r\n") == std::string::npos &&
         request.find("\n\n") == std::string::npos) {
    if (request.size() > kLongestRequest) return;
    if (receive_some(fd, request, deadline) != Received::kSome) return;
  }
  // GET /metrics HTTP/1.1
  const std::string_view line = std::string_view(request).substr(0, request.find('\n'));
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  HttpServer::Page page;
  if (first == std::string_view::npos || second == std::string_view::npos) {
    page = {.status = 400, .body = "this is not HTTP\n"};
  } else if (line.substr(0, first) != "GET") {
    page = {.status = 405, .body = "only GET is answered\n"};
  } else {
    std::string_view path = line.substr(first + 1, second - first - 1);
    page = handler(path.substr(0, path.find('?')));
  }
  const std::string answer =
      "HTTP/1.1 " + std::to_string(page.status) + " " + std::string(reason_of(page.status)) +
      "\r\nContent-Type: " + page.type + "\r\nContent-Length: " + std::to_string(page.body.size()) +
      "\r\nConnection: close\r\n\r\n" + page.body;
  send_all(fd, answer, deadline);
}

}  // namespace

struct HttpServer::Thread {
  File socket;
  File stop{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Handler handler;
  std::thread thread;

  void run() {
    for (;;) {
      std::array<pollfd, 2> waiting = {pollfd{.fd = stop.fd(), .events = POLLIN, .revents = 0},
                                       pollfd{.fd = socket.fd(), .events = POLLIN, .revents = 0}};
      if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
      if (waiting[0].revents != 0) return;
      const File client(::accept4(socket.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (client.is_open()) serve_one(client.fd(), handler);
    }
  }
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& address, Handler handler) {
  const std::size_t colon = address.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::string port_text = colon == std::string::npos ? address : address.substr(colon + 1);
  const std::optional<double> port = finite_number(port_text);
  if (!port || *port < 0 || *port > 65535 ||
      *port != static_cast<double>(static_cast<int>(*port))) {
    return usage_error(address + ": is not HOST:PORT or PORT; write 127.0.0.1:9187");
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port_text.c_str(), &hints, &found);
      error != 0) {
    return usage_error(address + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  File socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!socket.is_open() || ::bind(socket.fd(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(socket.fd(), 16) != 0) {
    return usage_error(address + ": cannot be listened on: " + error_text(errno));
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&bound), &size);
  const std::uint16_t taken = bound.ss_family == AF_INET6
                                  ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                  : reinterpret_cast<const sockaddr_in&>(bound).sin_port;
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::move(socket), ntohs(taken), std::move(handler)));
}

HttpServer::HttpServer(File socket, std::uint16_t port, Handler handler)
    : port_(port), thread_(std::make_unique<Thread>()) {
  thread_->socket = std::move(socket);
  thread_->handler = std::move(handler);
  thread_->thread = std::thread([of = thread_.get()] { of->run(); });
}

HttpServer::~HttpServer() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(thread_->stop.fd(), &one, sizeof one);
  thread_->thread.join();
}

}  // namespace tactus::watch
