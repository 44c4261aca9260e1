#include "inject/one_at_a_time.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "wire/injection.h"

namespace tactus::inject {

Result<File> take_the_turn() {
  constexpr int kQueue = 64;
  const wire::SocketAddress address = wire::injection_address(::geteuid());
  File own(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::bind(own.fd(), address.get(), address.size) == 0 && ::listen(own.fd(), kQueue) == 0) {
    return own;
  }
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
