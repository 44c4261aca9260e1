#include "record/window/window_door.h"

#include <poll.h>
#include <unistd.h>

#include <utility>

namespace tactus::record {
namespace {

bool may_ask(const File& guest) {
  return wire::is_peer_of_this_user(guest.fd());
}

bool send(const File& guest, const WindowAnswer& answer) {
  return ::send(guest.fd(), &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof answer;
}

}  // namespace

WindowDoor::WindowDoor() {
  constexpr int kQueue = 8;
  File door(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const wire::SocketAddress address = window_address(::getpid());
  if (door.is_open() && ::bind(door.fd(), address.get(), address.size) == 0 &&
      ::listen(door.fd(), kQueue) == 0) {
    door_ = std::move(door);
  }
}

int WindowDoor::fd() const {
  return guest_.is_open() ? guest_.fd() : door_.fd();
}

void WindowDoor::let_in() {
  if (!door_.is_open() || guest_.is_open()) return;
  File guest(::accept4(door_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!guest.is_open() || !may_ask(guest)) return;
  guest_ = std::move(guest);
  has_asked_ = false;
}

std::optional<WindowWish> WindowDoor::take_wish() {
  let_in();
  if (!guest_.is_open() || has_asked_) return std::nullopt;
  WindowWish wish;
  const ssize_t got = ::recv(guest_.fd(), &wish, sizeof wish, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (got != sizeof wish || wish.magic != kWindowMagic) {
    guest_ = File();
    return std::nullopt;
  }
  has_asked_ = true;
  return wish;
}

bool WindowDoor::is_left() const {
  if (!guest_.is_open()) return true;
  pollfd left{.fd = guest_.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&left, 1, 0) == 1;
}

void WindowDoor::answer(const WindowAnswer& answer) {
  if (!guest_.is_open()) return;
  if (!send(guest_, answer) || answer.news != WindowNews::kBegun) guest_ = File();
}

void WindowDoor::refuse_others(const std::string& why) {
  if (!door_.is_open()) return;
  const File guest(::accept4(door_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!guest.is_open() || !may_ask(guest)) return;
  WindowAnswer refusal;
  put_text(refusal.text, why);
  send(guest, refusal);
}

}  // namespace tactus::record
