#include "inject/one_at_a_time.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace tactus::inject {

Result<File> take_the_turn() {
  // An abstract address has no file: its name begins with a zero.
  const std::string name = fmt::format("tactus-inject-{}", ::geteuid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  File own(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(own.fd(), generic, size) == 0 && ::listen(own.fd(), 1) == 0) return own;
  if (errno != EADDRINUSE) {
    return broke_error("cannot make sure that no other injection runs: " + error_text(errno));
  }
  const File other(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ucred holder{};
  socklen_t holder_size = sizeof holder;
  const bool is_known =
      ::connect(other.fd(), generic, size) == 0 &&
      ::getsockopt(other.fd(), SOL_SOCKET, SO_PEERCRED, &holder, &holder_size) == 0;
  return usage_error("another injection of yours runs on this host" +
                     (is_known ? fmt::format(" (process {})", holder.pid) : "") +
                     "; wait until it ends");
}

}  // namespace tactus::inject
