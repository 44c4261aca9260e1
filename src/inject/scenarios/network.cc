#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "base/file.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr double kFullRate = 1e9;  // [bytes/s]
constexpr std::size_t kPiece = 64 << 10;

/// Both ends of a connection over 127.0.0.1.
std::pair<File, File> connected() {
  File listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(listener.fd(), generic, size) != 0 || ::listen(listener.fd(), 1) != 0 ||
      ::getsockname(listener.fd(), generic, &size) != 0) {
    return {};
  }
  File sender(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(sender.fd(), generic, size) != 0) return {};
  File receiver(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  return {std::move(sender), std::move(receiver)};
}

}  // namespace

Status plan_network(const Machine&, Plan& plan) {
  plan.bytes_per_s = plan.request.max_rate.value_or(kFullRate);
  plan.text = fmt::format("sends {:.0f} MB/s over one connection on 127.0.0.1",
                          plan.bytes_per_s * plan.request.intensity / 1e6);
  return {};
}

void run_network(const Plan& plan, const Pace& pace, Dose& dose) {
  auto [sender, receiver] = connected();
  if (!sender.is_open() || !receiver.is_open()) {
    return dose.say("127.0.0.1: " + error_text(errno));
  }
  std::thread reader([fd = receiver.fd()] {
    std::vector<char> buffer(kPiece);
    while (::read(fd, buffer.data(), buffer.size()) > 0) {
    }
  });
  const std::vector<char> buffer(kPiece, 'x');
  RateLimit limit(pace, plan.bytes_per_s);
  limit.wait_after(0);
  while (!pace.is_over()) {
    const ssize_t sent = ::send(sender.fd(), buffer.data(), buffer.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      dose.say("ended early: sending failed: " + error_text(errno));
      break;
    }
    dose.bytes.fetch_add(static_cast<std::uint64_t>(sent), std::memory_order_relaxed);
    dose.operations.fetch_add(1, std::memory_order_relaxed);
    limit.wait_after(static_cast<std::uint64_t>(sent));
  }
  ::shutdown(sender.fd(), SHUT_RDWR);
  reader.join();
}

}  // namespace tactus::inject
