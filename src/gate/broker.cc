#include "gate/broker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "wire/sockets.h"

namespace tactus::gate {
namespace {

constexpr int kQueue = 256;
constexpr std::size_t kMostWaiting = 256;
constexpr std::int64_t kMostSilentNs = 1'000'000'000;
constexpr int kLongestAnswerMs = 2000;

/// A message and the file that came with it, if any. 0 bytes: the other side is gone; -1: nothing.
ssize_t receive(int fd, std::string& bytes, File& file) {
  bytes.resize(512);
  int files[1] = {-1};
  const ssize_t got = wire::receive_with_files(fd, bytes.data(), bytes.size(), files);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? -1 : 0;
  bytes.resize(static_cast<std::size_t>(got));
  file = File(files[0]);
  return got;
}

bool send_welcome(int fd, std::uint32_t slot, int control, int bell) {
  const wire::GateWelcome welcome{
      .magic = wire::kGateMagic, .version = wire::kGateVersion, .slot = slot};
  return wire::send_with_files(fd, &welcome, sizeof welcome, {control, bell});
}

Result<File> connect_to(const std::string& address) {
  wire::SocketAddress name;
  if (!wire::fill_address(address.data(), address.size(), name)) {
    return usage_error(address + ": not a name of a socket");
  }
  File socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket.is_open() || ::connect(socket.fd(), name.get(), name.size) != 0) {
    return input_error("no gate of this user runs here; start one: tactus gate serve");
  }
  if (!wire::is_peer_of_this_user(socket.fd())) {
    return input_error("the gate at " + address + " belongs to another user");
  }
  return socket;
}

}  // namespace

std::string broker_address() {
  const char* given = std::getenv(wire::kGateSocketVariable);
  return given != nullptr && *given != '\0' ? given : "@tactus-gate-" + std::to_string(::geteuid());
}

Result<std::unique_ptr<Broker>> Broker::open(const Policy& policy, const std::string& address,
                                             bool keeps_changes) {
  wire::SocketAddress name;
  if (!wire::fill_address(address.data(), address.size(), name)) {
    return usage_error(address + ": not a name of a socket");
  }
  File socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return broke_error("cannot make a socket: " + error_text(errno));
  if (::bind(socket.fd(), name.get(), name.size) != 0) {
    if (errno == EADDRINUSE) {
      return usage_error(
          "a gate of this user runs already (tactus gate status); end it by tactus gate stop, or "
          "join it without --policy");
    }
    return broke_error("cannot listen at " + address + ": " + error_text(errno));
  }
  if (::listen(socket.fd(), kQueue) != 0) {
    return broke_error("cannot listen at " + address + ": " + error_text(errno));
  }
  Result<SharedFile<wire::GateControl>> control = make_control(policy);
  if (!control) return control.error();
  Result<SharedFile<wire::GateBell>> bell = make_bell();
  if (!bell) return bell.error();
  return std::unique_ptr<Broker>(
      new Broker(policy, std::move(socket), std::move(*control), std::move(*bell), keeps_changes));
}

Broker::Broker(Policy policy, File listener, SharedFile<wire::GateControl> control,
               SharedFile<wire::GateBell> bell, bool keeps_changes)
    : policy_(std::move(policy)),
      listener_(std::move(listener)),
      control_(std::move(control)),
      bell_(std::move(bell)),
      gatekeeper_(policy_, control_, bell_, clients_, keeps_changes) {}

std::vector<int> Broker::descriptors() const {
  std::vector<int> out = clients_.sockets();
  out.push_back(listener_.fd());
  for (const auto& [socket, since] : new_) out.push_back(socket.fd());
  return out;
}

void Broker::accept_all() {
  while (true) {
    File connection(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.is_open()) return;
    if (!wire::is_peer_of_this_user(connection.fd()) || new_.size() >= kMostWaiting) {
      ++refused_;
      continue;
    }
    new_.emplace_back(std::move(connection), monotonic_ns());
  }
}

bool Broker::let_in(File& socket, const GateMessage& message, File memory, std::int64_t pid) {
  Client client;
  client.memory = open_client(std::move(memory));
  if (!client.memory) return false;
  client.pid = pid;
  client.rank = message.rank;
  client.world_size = message.world_size;
  client.job = message.job;
  client.tag = message.tag;
  const int fd = socket.fd();
  client.socket = std::move(socket);
  if (!clients_.add(std::move(client), *control_)) return false;
  const std::optional<std::uint32_t> slot = clients_.slot_of(fd);
  gatekeeper_.wake();
  if (!slot || !send_welcome(fd, *slot, control_.fd(), bell_.fd())) {
    clients_.remove(fd, *control_);
    return false;
  }
  return true;
}

/// True if the connection is done with, or moved on.
bool Broker::handle(File& socket) {
  std::string bytes;
  File file;
  const ssize_t got = receive(socket.fd(), bytes, file);
  if (got < 0) return false;
  const std::optional<GateMessage> message = read_message(bytes);
  ucred peer{};
  if (!message || !wire::find_peer(socket.fd(), peer)) {
    if (got > 0) ++refused_;
    return true;
  }
  if (message->what == wire::kGateJoin) {
    if (!let_in(socket, *message, std::move(file), peer.pid)) ++refused_;
    return true;
  }
  std::string answer = "{}";
  if (message->what == wire::kGateStatus) {
    answer = status_text(status());
  } else if (message->what == wire::kGateStop) {
    is_asked_to_end_ = true;
  } else if (!clients_.set_detached(message->pid, message->what == wire::kGateDetach, *control_)) {
    answer = R"({"error":"process )" + std::to_string(message->pid) + R"( does not take part"})";
  }
  ::send(socket.fd(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return true;
}

bool Broker::serve() {
  accept_all();
  const std::int64_t now = monotonic_ns();
  std::erase_if(
      new_, [&](auto& entry) { return handle(entry.first) || now - entry.second > kMostSilentNs; });
  for (const int fd : clients_.sockets()) {
    std::string bytes;
    File file;
    // Agents say nothing more; the end of one closes its socket.
    const ssize_t got = receive(fd, bytes, file);
    if (got >= 0) {
      clients_.remove(fd, *control_);
      gatekeeper_.wake();
    }
  }
  return !is_asked_to_end_;
}

GateStatus Broker::status() const {
  GateStatus status;
  status.pid = ::getpid();
  status.policy = name_of(policy_.kind);
  status.max_hold_ns = policy_.max_hold_ns;
  status.changes = gatekeeper_.changes();
  status.refused = refused_;
  for (const std::string& name : policy_.classes) status.classes.emplace_back().name = name;
  clients_.describe(status, *control_, counted_classes(policy_));
  return status;
}

Result<std::string> ask_broker(const std::string& address, wire::GateRequest what,
                               std::int64_t pid) {
  const Result<File> socket = connect_to(address);
  if (!socket) return socket.error();
  wire::GateHello hello{};
  hello.magic = wire::kGateMagic;
  hello.version = wire::kGateVersion;
  hello.what = what;
  hello.pid = pid;
  std::string answer(1 << 18, '\0');
  pollfd ready{.fd = socket->fd(), .events = POLLIN, .revents = 0};
  if (::send(socket->fd(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello ||
      ::poll(&ready, 1, kLongestAnswerMs) != 1) {
    return broke_error("the gate does not answer; its process may be stopped");
  }
  const ssize_t got = ::recv(socket->fd(), answer.data(), answer.size(), MSG_DONTWAIT);
  if (got <= 0) {
    return broke_error("the gate closed the connection: it may be of another version of Tactus");
  }
  answer.resize(static_cast<std::size_t>(got));
  return answer;
}

bool is_running(const std::string& address) {
  return static_cast<bool>(connect_to(address));
}

}  // namespace tactus::gate
