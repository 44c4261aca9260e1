#include "record/session/listener.h"

#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "wire/segment.h"
#include "wire/sockets.h"

namespace tactus::record {
namespace {

constexpr int kQueue = 256;
/// An agent sends what it has right after it connects.
constexpr int kLongestWait = 100;  // [ms]

/// A name that nobody can guess.
Result<std::string> draw_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return broke_error("cannot draw random bytes: " + error_text(errno));
  }
  std::string name = "tactus-";
  for (const unsigned char byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

bool is_of_this_user(const ucred& peer) {
  return peer.uid == ::geteuid() || ::geteuid() == 0;
}

/// Receives the two files; false if the message is not that of an agent.
bool receive(int fd, Arrival& arrival) {
  wire::Hello hello{};
  int files[2] = {-1, -1};
  const ssize_t got = wire::receive_with_files(fd, &hello, sizeof hello, files);
  arrival.data = File(files[0]);
  arrival.control = File(files[1]);
  return got == sizeof hello && hello.magic == wire::kMagic && files[0] >= 0 && files[1] >= 0;
}

}  // namespace

Result<Listener> Listener::open() {
  const Result<std::string> name = draw_name();
  if (!name) return name.error();
  File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const std::string text = "@" + *name;
  wire::SocketAddress address;
  if (!socket.is_open() || !wire::fill_address(text.data(), text.size(), address) ||
      ::bind(socket.fd(), address.get(), address.size) != 0 || ::listen(socket.fd(), kQueue) != 0) {
    return broke_error("cannot make the socket for the agents: " + error_text(errno));
  }
  return Listener(std::move(socket), text);
}

std::optional<Arrival> Listener::accept() {
  while (true) {
    const File connection(::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.is_open()) return std::nullopt;
    ucred peer{};
    pollfd ready{.fd = connection.fd(), .events = POLLIN, .revents = 0};
    Arrival arrival;
    if (wire::find_peer(connection.fd(), peer) && is_of_this_user(peer) &&
        ::poll(&ready, 1, kLongestWait) == 1 && receive(connection.fd(), arrival)) {
      arrival.pid = peer.pid;
      return arrival;
    }
    ++refused_;
  }
}

}  // namespace tactus::record
