#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "record/agent/agent.h"
#include "record/agent/cublas/scopes.h"
#include "record/agent/cupti/activities.h"
#include "record/agent/names.h"
#include "record/agent/stacks/stacks.h"

namespace tactus::agent {
namespace {

// Until the agent has tried to start, every call looks as if it were to be recorded, and gets to
// `start`.
wire::Control not_started = {.recording = wire::kLight};
wire::Control off = {};

enum State : int { kNew, kStarting, kRunning, kFailed };
std::atomic<int> state = kNew;
std::atomic<wire::Data*> shared = nullptr;

/// A descriptor that the target may close, or use for something else: it is known by its file.
struct KeptFile {
  int fd = -1;
  dev_t device = 0;
  ino_t inode = 0;
};
KeptFile kept[2];

/// Out of the way of programs that count on low numbers, and below 64: a higher one makes the
/// kernel enlarge the table of a process with threads, and wait for all cores to have seen it. On a
/// busy machine, that took the first launch up to 400 ms.
constexpr int kHighDescriptor = 40;

std::int32_t number_of(const char* variable, std::int32_t otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  return static_cast<std::int32_t>(std::strtol(text, nullptr, 10));
}

/// A memory file of a fixed size; -1 if there is none.
int make_file(const char* name, std::size_t bytes) {
  // A limit for files holds for these, too, and to pass it is a deadly signal.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < bytes) return -1;
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (const int high = fcntl(fd, F_DUPFD_CLOEXEC, kHighDescriptor); high >= 0) {
    close(fd);
    fd = high;
  }
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

template <class T>
T* map_file(int fd) {
  void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

void keep(KeptFile& file, int fd) {
  struct stat status {};
  file.fd = fstat(fd, &status) == 0 ? fd : -1;
  file.device = status.st_dev;
  file.inode = status.st_ino;
}

void drop_file(KeptFile& file) {
  struct stat status {};
  if (file.fd >= 0 && fstat(file.fd, &status) == 0 && status.st_dev == file.device &&
      status.st_ino == file.inode) {
    close(file.fd);
  }
  file.fd = -1;
}

/// The words of the command line, with spaces between.
void read_command(char* into, std::size_t size) {
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t got = read(fd, into, size - 1);
  close(fd);
  for (ssize_t i = 0; i + 1 < got; ++i) {
    if (into[i] == '\0') into[i] = ' ';
  }
}

void fill_header(wire::Header& header) {
  header.version = wire::kLayoutVersion;
  header.record_bytes = sizeof(wire::Record);
  header.data_bytes = sizeof(wire::Data);
  header.control_bytes = sizeof(wire::Control);
  header.pid = static_cast<std::uint32_t>(getpid());
  header.rank = number_of("RANK", -1);
  header.world_size = number_of("WORLD_SIZE", -1);
  header.start_monotonic_ns = monotonic_ns();
  header.start_ticks = wire::ticks();
  header.names.store(1);
  read_command(header.command, sizeof header.command);
  header.magic = wire::kMagic;
}

/// Somebody else may have taken the name after the recorder ended.
bool is_same_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0);
}

/// Hands both files to the recorder. Nothing is waited for: a recorder that does not listen gets
/// nothing.
bool tell_recorder(int data_fd, int control_fd) {
  const char* path = std::getenv(wire::kSocketVariable);
  sockaddr_un address{};
  if (path == nullptr || *path != '@' || std::strlen(path) >= sizeof address.sun_path) return false;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  address.sun_family = AF_UNIX;
  // A name that begins with a zero is not one of a file.
  std::memcpy(address.sun_path + 1, path + 1, std::strlen(path) - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  bool is_told = false;
  int connected = -1;
  // The recorder accepts every few milliseconds; its queue is full only if many processes start at
  // once.
  for (int tries = 0; tries < 50; ++tries) {
    connected = connect(fd, reinterpret_cast<const sockaddr*>(&address), size);
    if (connected == 0 || errno != EAGAIN) break;
    const timespec pause{.tv_sec = 0, .tv_nsec = 2'000'000};
    nanosleep(&pause, nullptr);
  }
  if (connected == 0 && is_same_user(fd)) {
    wire::Hello hello{.magic = wire::kMagic,
                      .version = wire::kLayoutVersion,
                      .pid = static_cast<std::uint32_t>(getpid())};
    iovec bytes{.iov_base = &hello, .iov_len = sizeof hello};
    const int files[2] = {data_fd, control_fd};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof files)] = {};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof files);
    std::memcpy(CMSG_DATA(part), files, sizeof files);
    is_told = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof hello;
  }
  close(fd);
  return is_told;
}

/// The child of a fork has nothing to do with its parent's memory; it starts anew with its first
/// call.
void after_fork_in_child() {
  forget_threads();
  wire::Data* data_of_parent = shared.exchange(nullptr);
  wire::Control* control_of_parent = control.exchange(&not_started);
  if (data_of_parent != nullptr) {
    munmap(data_of_parent, sizeof *data_of_parent);
    munmap(control_of_parent, sizeof *control_of_parent);
    for (KeptFile& file : kept) drop_file(file);
    forget_names();
    forget_stacks();
    forget_scopes();
    forget_activities();
  }
  captures = 0;
  state = kNew;
}

bool set_up() {
  const int data_fd = make_file(wire::kDataName, sizeof(wire::Data));
  const int control_fd = make_file(wire::kControlName, sizeof(wire::Control));
  wire::Data* made = data_fd >= 0 ? map_file<wire::Data>(data_fd) : nullptr;
  wire::Control* wishes = control_fd >= 0 ? map_file<wire::Control>(control_fd) : nullptr;
  if (made == nullptr || wishes == nullptr) {
    if (made != nullptr) munmap(made, sizeof *made);
    if (wishes != nullptr) munmap(wishes, sizeof *wishes);
    if (data_fd >= 0) close(data_fd);
    if (control_fd >= 0) close(control_fd);
    return false;
  }
  fill_header(made->header);
  keep(kept[0], data_fd);
  keep(kept[1], control_fd);
  wishes->budget_ppm = static_cast<std::uint32_t>(number_of(wire::kBudgetVariable, 10'000));
  wishes->stacks = static_cast<std::uint32_t>(number_of(wire::kStacksVariable, 0));
  wishes->activities = static_cast<std::uint32_t>(number_of(wire::kActivitiesVariable, 0));
  wishes->heartbeat_ns = monotonic_ns();
  wishes->magic = wire::kMagic;
  // Set before the recorder knows: it may switch off at once.
  wishes->recording = wire::kLight;
  shared.store(made, std::memory_order_release);
  if (!tell_recorder(data_fd, control_fd)) wishes->recording = wire::kOff;
  control.store(wishes, std::memory_order_release);
  return true;
}

}  // namespace

std::atomic<wire::Control*> control = &not_started;
std::atomic<std::uint32_t> modules_unloaded = 0;
std::atomic<std::uint32_t> contexts_gone = 0;
std::atomic<std::int32_t> captures = 0;

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

wire::Data* data() {
  return shared.load(std::memory_order_acquire);
}

bool start() {
  int expected = kNew;
  if (state.compare_exchange_strong(expected, kStarting)) {
    static std::atomic<bool> watches_forks = false;
    if (!watches_forks.exchange(true)) pthread_atfork(nullptr, nullptr, after_fork_in_child);
    const bool is_set_up = set_up();
    if (!is_set_up) control.store(&off, std::memory_order_release);
    state.store(is_set_up ? kRunning : kFailed, std::memory_order_release);
    return is_set_up;
  }
  // Another thread is at it. It takes well under a millisecond, or a few turns of the scheduler on
  // a busy machine; the launches until then should not be lost.
  constexpr std::uint64_t kMostWaitNs = 200'000'000;
  const std::uint64_t begin_ns = monotonic_ns();
  const int error = errno;
  while (state.load(std::memory_order_acquire) == kStarting &&
         monotonic_ns() - begin_ns < kMostWaitNs) {
    const timespec pause{.tv_sec = 0, .tv_nsec = 20'000};
    nanosleep(&pause, nullptr);
  }
  errno = error;
  return state.load(std::memory_order_acquire) == kRunning;
}

}  // namespace tactus::agent
