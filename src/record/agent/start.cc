#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "record/agent/agent.h"
#include "record/agent/cublas/scopes.h"
#include "record/agent/cupti/activities.h"
#include "record/agent/memory_file.h"
#include "record/agent/names.h"
#include "record/agent/stacks/stacks.h"
#include "record/agent/undisturbed.h"
#include "wire/sockets.h"

namespace tactus::agent {
namespace {

// Until the agent has tried to start, every call looks as if it were to be recorded, and gets to
// `start`.
wire::Control not_started = {.recording = wire::kLight};
wire::Control off = {};

/// What the recorder says in the environment: a program may clear it before its first launch.
struct AtLoad {
  char socket[128];
  std::uint32_t budget_ppm;
  std::uint32_t stacks;
  std::uint32_t activities;
};
AtLoad at_load;

__attribute__((constructor)) void read_environment() {
  const char* name = std::getenv(wire::kSocketVariable);
  if (name != nullptr && std::strlen(name) < sizeof at_load.socket) {
    std::strcpy(at_load.socket, name);
  }
  at_load.budget_ppm = static_cast<std::uint32_t>(number_in(wire::kBudgetVariable, 10'000));
  at_load.stacks = static_cast<std::uint32_t>(number_in(wire::kStacksVariable, 0));
  at_load.activities = static_cast<std::uint32_t>(number_in(wire::kActivitiesVariable, 0));
}

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
  header.rank = number_in("RANK", -1);
  header.world_size = number_in("WORLD_SIZE", -1);
  header.start_monotonic_ns = monotonic_ns();
  header.start_ticks = wire::ticks();
  header.has_no_hooks = has_no_hooks ? 1 : 0;
  header.names.store(1);
  read_command(header.command, sizeof header.command);
  header.magic = wire::kMagic;
}

/// Hands both files to the recorder. Nothing is waited for: a recorder that does not listen gets
/// nothing.
bool tell_recorder(int data_fd, int control_fd) {
  wire::SocketAddress address;
  const char* name = at_load.socket;
  if (*name == '\0' || !wire::fill_address(name, std::strlen(name), address)) return false;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  int connected = -1;
  // The recorder accepts every few milliseconds; its queue is full only if many processes start at
  // once.
  for (int tries = 0; tries < 50; ++tries) {
    connected = connect(fd, address.get(), address.size);
    if (connected == 0 || errno != EAGAIN) break;
    pause_for(2'000'000);
  }
  const wire::Hello hello{.magic = wire::kMagic,
                          .version = wire::kLayoutVersion,
                          .pid = static_cast<std::uint32_t>(getpid())};
  const bool is_told = connected == 0 && wire::is_peer_of_this_user(fd) &&
                       wire::send_with_files(fd, &hello, sizeof hello, {data_fd, control_fd});
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
  const int data_fd = make_memory_file(wire::kDataName, sizeof(wire::Data));
  const int control_fd = make_memory_file(wire::kControlName, sizeof(wire::Control));
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
  wishes->budget_ppm = at_load.budget_ppm;
  wishes->stacks = at_load.stacks;
  wishes->activities = at_load.activities;
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
bool has_no_hooks = false;
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
  const Undisturbed undisturbed;
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
  while (state.load(std::memory_order_acquire) == kStarting &&
         monotonic_ns() - begin_ns < kMostWaitNs) {
    pause_for(20'000);
  }
  return state.load(std::memory_order_acquire) == kRunning;
}

}  // namespace tactus::agent
