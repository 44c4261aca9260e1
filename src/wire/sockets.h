// Local sockets of the agent, the recorder and the broker: names that are in no folder, files that
// are handed over, and who is at the other end. Needs the C library only.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace tactus::wire {

struct SocketAddress {
  sockaddr_un name{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

/// "@name"; false if it is not such a name. It begins with a zero then, so it is not one of a file.
inline bool fill_address(const char* text, std::size_t length, SocketAddress& address) {
  if (length < 2 || text[0] != '@' || length >= sizeof address.name.sun_path) return false;
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path + 1, text + 1, length - 1);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  return true;
}

/// False if it is not known.
inline bool find_peer(int fd, ucred& peer) {
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
}

/// Or of root. Somebody else may have taken the name, or found it.
inline bool is_peer_of_this_user(int fd) {
  ucred peer{};
  return find_peer(fd, peer) && (peer.uid == geteuid() || peer.uid == 0);
}

/// Sends a message with files, all of it or nothing. Does not wait.
template <std::size_t N>
bool send_with_files(int fd, const void* bytes, std::size_t size, const int (&files)[N]) {
  iovec part{.iov_base = const_cast<void*>(bytes), .iov_len = size};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files, sizeof files);
  return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(size);
}

/// Receives a message and the files that came with it: the number of its bytes, as `recvmsg`.
/// Places of files that did not come are left as they are; files that have no place are closed.
/// Does not wait.
template <std::size_t N>
ssize_t receive_with_files(int fd, void* bytes, std::size_t size, int (&files)[N]) {
  iovec part{.iov_base = bytes, .iov_len = size};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  const ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  const cmsghdr* header = got < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
    return got;
  }
  const std::size_t given = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < given; ++i) {
    int file = -1;
    std::memcpy(&file, CMSG_DATA(header) + i * sizeof file, sizeof file);
    // Room is rounded up, so there may be one more.
    if (i < N) {
      files[i] = file;
    } else {
      close(file);
    }
  }
  return got;
}

}  // namespace tactus::wire
