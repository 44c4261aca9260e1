#include "inject/one_at_a_time.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "wire/sockets.h"

namespace tactus::inject {

Result<File> take_the_turn() {
  const std::string name = fmt::format("@tactus-inject-{}", ::geteuid());
  wire::SocketAddress address;
  wire::fill_address(name.data(), name.size(), address);
  File own(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(own.fd(), address.get(), address.size) == 0 && ::listen(own.fd(), 1) == 0) return own;
  if (errno != EADDRINUSE) {
    return broke_error("cannot make sure that no other injection runs: " + error_text(errno));
  }
  const File other(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ucred holder{};
  const bool is_known = ::connect(other.fd(), address.get(), address.size) == 0 &&
                        wire::find_peer(other.fd(), holder);
  return usage_error("another injection of yours runs on this host" +
                     (is_known ? fmt::format(" (process {})", holder.pid) : "") +
                     "; wait until it ends");
}

}  // namespace tactus::inject
