#include "record/agent/gate/gate_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "record/agent/agent.h"
#include "record/agent/gate/queue.h"
#include "record/agent/memory_file.h"
#include "wire/sockets.h"

namespace tactus::agent {
namespace {

constexpr int kLongestWaitMs = 20;  ///< for the broker's answer
constexpr std::uint64_t kFirstPause = 500'000'000;
constexpr std::uint64_t kLongestPause = 8'000'000'000;
/// Links are kept, so that no thread loses what it looks at. A broker that comes and goes more
/// often than this is not followed.
constexpr std::uint32_t kLinks = 64;

// A counted class, so that launches come to `wait_at_gate`, which looks for a broker.
const std::atomic<std::uint32_t> unsure = 0x0100;
const std::atomic<std::uint32_t> open_word = 0;

std::atomic<std::uint32_t> is_looking = 0;
std::atomic<std::uint64_t> next_look_ns = 0;
std::atomic<std::uint64_t> pause_ns = kFirstPause;
std::atomic<std::uint32_t> links = 0;

/// The socket; the program may have closed it, or use its number for something else.
std::atomic<int> socket_fd = -1;
dev_t socket_device = 0;
ino_t socket_inode = 0;

bool is_our_socket(int fd) {
  struct stat status {};
  return fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == socket_device &&
         status.st_ino == socket_inode;
}

/// Who closes the socket must not do so while another thread asks it: its number may be somebody
/// else's a moment later.
std::atomic<std::uint32_t> socket_is_used = 0;

void close_socket() {
  constexpr int kTries = 1000;  // the other one makes two calls of the kernel
  int tries = 0;
  while (socket_is_used.exchange(1, std::memory_order_acquire) != 0) {
    if (++tries == kTries) return;
    sched_yield();
  }
  const int fd = socket_fd.exchange(-1);
  if (is_our_socket(fd)) close(fd);
  socket_is_used.store(0, std::memory_order_release);
}

std::uint64_t hash_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : wire::gate_hash(text, std::strlen(text));
}

/// A file of the size that it must have, and that nobody can change.
void* map_checked(int fd, std::size_t bytes, bool writable) {
  struct stat status {};
  const int seals = fcntl(fd, F_GET_SEALS);
  if (fstat(fd, &status) != 0 || status.st_size != static_cast<off_t>(bytes) || seals < 0 ||
      (seals & F_SEAL_SHRINK) == 0) {
    return nullptr;
  }
  void* memory =
      mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// "@tactus-gate-1000", or what the environment says.
const char* broker_name(char (&room)[64]) {
  const char* given = std::getenv(wire::kGateSocketVariable);
  if (given != nullptr) return given;
  std::strcpy(room, "@tactus-gate-");
  char* end = room + std::strlen(room);
  char digits[16];
  int count = 0;
  unsigned user = geteuid();
  do {
    digits[count++] = static_cast<char>('0' + user % 10);
    user /= 10;
  } while (user != 0);
  while (count > 0) *end++ = digits[--count];
  *end = '\0';
  return room;
}

int connect_to_broker() {
  char room[64];
  const char* name = broker_name(room);
  wire::SocketAddress address;
  if (!wire::fill_address(name, std::strlen(name), address)) return -1;
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  fd = to_high_descriptor(fd);
  if (connect(fd, address.get(), address.size) == 0 && wire::is_peer_of_this_user(fd)) return fd;
  close(fd);
  return -1;
}

bool send_hello(int fd, int client_fd) {
  wire::GateHello hello{};
  hello.magic = wire::kGateMagic;
  hello.version = wire::kGateVersion;
  hello.what = wire::kGateJoin;
  hello.rank = number_in("RANK", -1);
  hello.world_size = number_in("WORLD_SIZE", -1);
  hello.job = hash_of("MASTER_ADDR") * 31 + hash_of("MASTER_PORT");
  hello.pid = getpid();
  if (const char* tag = std::getenv(wire::kGateTagVariable)) {
    std::strncpy(hello.tag, tag, sizeof hello.tag - 1);
  }
  return wire::send_with_files(fd, &hello, sizeof hello, {client_fd});
}

bool receive_welcome(int fd, wire::GateWelcome& welcome, int (&files)[2]) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, kLongestWaitMs) != 1) return false;
  return wire::receive_with_files(fd, &welcome, sizeof welcome, files) == sizeof welcome &&
         welcome.magic == wire::kGateMagic && welcome.version == wire::kGateVersion &&
         welcome.slot < wire::kGateSlots && files[0] >= 0 && files[1] >= 0;
}

/// Copies what the broker says, as far as it makes sense.
bool copy_rules(GateLink& link) {
  const wire::GateControl& control = *link.control;
  if (control.magic != wire::kGateMagic || control.version != wire::kGateVersion ||
      control.bytes != sizeof control) {
    return false;
  }
  link.max_hold_ns = control.max_hold_ns;
  if (link.max_hold_ns > wire::kMostHoldNs) link.max_hold_ns = wire::kMostHoldNs;
  link.rules = control.rules;
  link.members = control.members;
  link.ringing = control.ringing;
  link.timed = control.timed;
  link.queue_ns = control.queue_ns;
  for (std::uint32_t i = 0; i < wire::kGateClasses; ++i) {
    link.depth[i] = control.depth[i] < wire::kMostDepth ? control.depth[i] : wire::kMostDepth;
  }
  if (link.rules > wire::kGateRules || link.members > wire::kGateMembers) return false;
  std::memcpy(static_cast<void*>(link.rule), control.rule, sizeof link.rule);
  std::memcpy(link.member, control.member, sizeof link.member);
  for (std::uint32_t i = 0; i < link.rules; ++i) {
    if (link.rule[i].class_number >= wire::kGateClasses) return false;
    link.asks_priority = link.asks_priority || link.rule[i].has_priority != 0;
    link.asks_rows = link.asks_rows || link.rule[i].has_rows != 0;
  }
  link.tag = hash_of(wire::kGateTagVariable);
  return true;
}

void release(GateLink* link) {
  if (link->control != nullptr)
    munmap(const_cast<wire::GateControl*>(link->control), sizeof *link->control);
  if (link->bell != nullptr) munmap(link->bell, sizeof *link->bell);
  if (link->client != nullptr) munmap(link->client, sizeof *link->client);
  munmap(link, sizeof *link);
}

/// In the child of a fork: nothing of the parent's is the child's.
void after_fork_in_child() {
  GateLink* link = joined.exchange(nullptr);
  socket_is_used = 0;
  if (gate_word.load() != &open_word) gate_word.store(&unsure);
  close_socket();
  forget_queues();
  if (link != nullptr) release(link);
  is_looking = 0;
  next_look_ns = 0;
  pause_ns = kFirstPause;
  links = 0;
}

GateLink* join(int fd, int client_fd) {
  wire::GateWelcome welcome{};
  int files[2] = {-1, -1};
  void* room =
      mmap(nullptr, sizeof(GateLink), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* link = static_cast<GateLink*>(room);
  link->client = static_cast<wire::GateClient*>(map_checked(client_fd, sizeof *link->client, true));
  bool is_good = link->client != nullptr;
  if (is_good) {
    link->client->version = wire::kGateVersion;
    link->client->bytes = sizeof *link->client;
    link->client->magic = wire::kGateMagic;
    is_good = send_hello(fd, client_fd) && receive_welcome(fd, welcome, files);
  }
  if (is_good) {
    link->control =
        static_cast<const wire::GateControl*>(map_checked(files[0], sizeof *link->control, false));
    link->bell = static_cast<wire::GateBell*>(map_checked(files[1], sizeof *link->bell, true));
    link->slot = welcome.slot;
    is_good = link->control != nullptr && link->bell != nullptr && copy_rules(*link);
  }
  for (const int file : files) {
    if (file >= 0) close(file);
  }
  if (is_good) return link;
  release(link);
  return nullptr;
}

bool find_broker() {
  static std::atomic<bool> watches_forks = false;
  if (!watches_forks.exchange(true)) pthread_atfork(nullptr, nullptr, after_fork_in_child);
  const int fd = connect_to_broker();
  if (fd < 0) {
    pause_ns = kFirstPause;
    return false;
  }
  const int client_fd = make_memory_file("tactus-gate-client", sizeof(wire::GateClient));
  GateLink* link = client_fd < 0 ? nullptr : join(fd, client_fd);
  if (client_fd >= 0) close(client_fd);
  if (link == nullptr) {
    // It listens and does not answer: not to be asked often.
    close(fd);
    const std::uint64_t pause = pause_ns.load() * 2;
    pause_ns = pause < kLongestPause ? pause : kLongestPause;
    return false;
  }
  struct stat status {};
  fstat(fd, &status);
  socket_device = status.st_dev;
  socket_inode = status.st_ino;
  socket_fd = fd;
  pause_ns = kFirstPause;
  links.fetch_add(1);
  joined.store(link, std::memory_order_release);
  gate_word.store(&link->control->word, std::memory_order_release);
  return true;
}

}  // namespace

std::atomic<GateLink*> joined = nullptr;

// The first launch finds out.
std::atomic<const std::atomic<std::uint32_t>*> gate_word = &unsure;

GateLink* gate_link() {
  return joined.load(std::memory_order_acquire);
}

void look_for_broker() {
  const std::uint64_t now = monotonic_ns();
  if (now < next_look_ns.load(std::memory_order_relaxed)) return;
  if (is_looking.exchange(1, std::memory_order_acquire) != 0) return;
  const char* wanted = std::getenv(wire::kGateVariable);
  if (wanted == nullptr || std::strcmp(wanted, "1") != 0 || links.load() >= kLinks) {
    gate_word.store(&open_word);
  } else if (gate_link() == nullptr) {
    find_broker();
    next_look_ns = monotonic_ns() + pause_ns.load();
  }
  is_looking.store(0, std::memory_order_release);
}

void leave_broker(const GateLink* link) {
  auto* expected = const_cast<GateLink*>(link);
  if (!joined.compare_exchange_strong(expected, nullptr)) return;
  gate_word.store(&unsure);
  next_look_ns = monotonic_ns() + kFirstPause;
  close_socket();
}

bool has_hung_up() {
  if (socket_is_used.exchange(1, std::memory_order_acquire) != 0) return false;
  const int fd = socket_fd.load(std::memory_order_relaxed);
  bool is_over = false;
  // A program that closed it has the heartbeat to go by.
  if (is_our_socket(fd)) {
    char byte = 0;
    const ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    is_over = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  }
  socket_is_used.store(0, std::memory_order_release);
  return is_over;
}

}  // namespace tactus::agent
