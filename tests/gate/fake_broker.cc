#include "gate/fake_broker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <vector>

namespace tactus::testing {
namespace {

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

int make_file(std::size_t bytes, bool is_sealed) {
  const int fd = memfd_create("fake", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) return -1;
  if (is_sealed) fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  return fd;
}

}  // namespace

FakeBroker::FakeBroker(std::string address, Lies lies) : lies_(std::move(lies)) {
  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path + 1, address.data() + 1, address.size() - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&name), size) != 0) return;
  listen(listener_, 16);
  thread_ = std::thread([this] { run(); });
}

FakeBroker::~FakeBroker() {
  is_ending_ = true;
  if (thread_.joinable()) thread_.join();
  close(listener_);
}

void FakeBroker::run() {
  std::vector<int> connections;
  while (!is_ending_) {
    pollfd ready{.fd = listener_, .events = POLLIN, .revents = 0};
    poll(&ready, 1, 10);
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    connections.push_back(connection);
    answer(connection);
  }
  for (const int connection : connections) close(connection);
}

void FakeBroker::answer(int connection) {
  char bytes[1024];
  if (recv(connection, bytes, sizeof bytes, 0) <= 0) return;
  ++joined_;
  if (!lies_.answers) return;
  const int control_fd = make_file(lies_.bytes, lies_.is_sealed);
  const int bell_fd = make_file(sizeof(wire::GateBell), true);
  if (lies_.bytes >= sizeof(wire::GateControl)) {
    auto* control = static_cast<wire::GateControl*>(mmap(
        nullptr, sizeof(wire::GateControl), PROT_READ | PROT_WRITE, MAP_SHARED, control_fd, 0));
    control->magic = wire::kGateMagic;
    control->version = wire::kGateVersion;
    control->bytes = sizeof *control;
    control->max_hold_ns = 1'000'000;
    control->rules = 1;
    control->rule[0].kinds = 3;
    control->heartbeat_ns = now_ns() + 50'000'000;
    control->is_serving = 1;
    for (auto& slot : control->slots) slot = wire::kMayBeHeld;
    control->word = 0x0101;  // class 0 is held and counted
    if (lies_.change) lies_.change(*control);
    munmap(control, sizeof *control);
  }
  wire::GateWelcome welcome{.magic = wire::kGateMagic, .version = wire::kGateVersion, .slot = 0};
  if (lies_.greet) lies_.greet(welcome);
  iovec part_bytes{.iov_base = &welcome, .iov_len = sizeof welcome};
  const int files[2] = {control_fd, bell_fd};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &part_bytes;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(part), files, sizeof files);
  sendmsg(connection, &message, MSG_NOSIGNAL);
  close(control_fd);
  close(bell_fd);
}

}  // namespace tactus::testing
