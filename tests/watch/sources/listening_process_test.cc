#include "watch/sources/listening_process.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"

namespace tactus::watch {
namespace {

TEST(ListeningProcess, is_found_by_address_and_port) {
  const File door(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(door.fd(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(door.fd(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::uint16_t port = ntohs(address.sin_port);
  EXPECT_FALSE(listening_process("127.0.0.1", port));  // bound, and nobody listens
  ASSERT_EQ(::listen(door.fd(), 1), 0);
  EXPECT_EQ(listening_process("127.0.0.1", port), ::getpid());
  EXPECT_EQ(listening_process("localhost", port), ::getpid());
  EXPECT_FALSE(listening_process("192.0.2.7", port));  // another machine
  EXPECT_FALSE(listening_process("127.0.0.1", port, "/nowhere"));
}

}  // namespace
}  // namespace tactus::watch
