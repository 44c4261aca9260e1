#include "record/session/targets.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "record/session/processes.h"

namespace tactus::record {
namespace {

/// A ring has room for 8192 records: enough for 800,000 launches per second and thread.
constexpr auto kPause = std::chrono::milliseconds(10);
/// After a ring was fuller than this, it is looked at sooner.
constexpr double kFull = 0.25;
constexpr auto kShortPause = std::chrono::milliseconds(1);
constexpr int kLooksForProcesses = 20;  // [pauses]
/// Records that wait for the disk, at most.
constexpr std::size_t kMostWaiting = 2'000'000;
constexpr std::size_t kMostPerTarget = wire::kRings * wire::kRingRecords;

File open_pidfd(std::int64_t pid) {
  return File(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
}

bool is_readable(int fd) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  return fd >= 0 && ::poll(&ready, 1, 0) == 1;
}

/// A lock on the agent's control file, for one recorder at a time. It goes away with the recorder,
/// however that ends.
File lock_control(const File& control) {
  const std::string path = "/proc/self/fd/" + std::to_string(control.fd());
  File own(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (own.is_open() && ::flock(own.fd(), LOCK_EX | LOCK_NB) != 0) return File();
  return own;
}

}  // namespace

Targets::Targets(const Options& options) : options_(options) {}

Targets::~Targets() {
  end();
}

void Targets::warn(std::string message) {
  const std::lock_guard lock(mutex_);
  constexpr std::size_t kMostWarnings = 20;
  if (warnings_.size() < kMostWarnings &&
      std::find(warnings_.begin(), warnings_.end(), message) == warnings_.end()) {
    warnings_.push_back(std::move(message));
  }
}

Status Targets::add(Arrival arrival, bool is_new) {
  struct stat status {};
  if (::fstat(arrival.data.fd(), &status) != 0) return broke_error(error_text(errno));
  const FileId file(status.st_dev, status.st_ino);
  if (known_files_.contains(file)) return {};
  const std::string who = "process " + std::to_string(arrival.pid);
  Result<AgentMemory> memory = AgentMemory::map(arrival.data, arrival.control);
  if (!memory) return Error{memory.error().code, who + ": " + memory.error().message};
  if (memory->has_no_hooks() && !options_.wishes.activities) {
    return usage_error(who +
                       " was given the agent by --inject: it is recorded in full mode only; "
                       "add --mode full");
  }
  File lock = lock_control(arrival.control);
  if (!lock.is_open()) {
    return usage_error(who + " is being recorded already; wait for that recording to end");
  }
  known_files_.insert(file);
  auto target = std::make_shared<Target>(std::move(*memory), arrival.pid, processes_++);
  target->pidfd = open_pidfd(arrival.pid);
  target->lock = std::move(lock);
  target->file = file;
  if (is_new) {
    target->memory.keep_alive();
  } else {
    target->memory.begin(options_.wishes);
  }
  targets_.push_back(target);
  const std::lock_guard guard(mutex_);
  harvest_.parts.push_back({.target = target});
  return {};
}

Status Targets::attach(std::int64_t pid) {
  std::optional<Arrival> arrival = find_agent(pid);
  if (arrival) return add(std::move(*arrival), false);
  const std::string who = "process " + std::to_string(pid);
  if (may_look_into(pid)) return input_error(who + " has no agent");
  return input_error(who +
                     " belongs to another user, so that an agent inside cannot be seen; record "
                     "it as that user, or as root");
}

void Targets::begin() {
  thread_ = std::thread([this] { run(); });
}

void Targets::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

Harvest Targets::take() {
  const std::lock_guard lock(mutex_);
  Harvest taken = std::move(harvest_);
  harvest_ = {};
  waiting_records_ = 0;
  return taken;
}

void Targets::wish(const Wishes& wishes) {
  const std::lock_guard lock(mutex_);
  new_wishes_ = wishes;
}

std::vector<std::string> Targets::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

void Targets::look_for_new() {
  if (options_.listener == nullptr) return;
  while (std::optional<Arrival> arrival = options_.listener->accept()) {
    if (const Status added = add(std::move(*arrival), true); !added) warn(added.error().message);
  }
  if (options_.listener->refused() != 0) {
    warn(
        "a process reported that could not be recorded: it is of another user, or too many files "
        "are open");
  }
}

double Targets::drain_all() {
  double fullest = 0;
  std::optional<Wishes> wishes;
  {
    const std::lock_guard lock(mutex_);
    wishes = new_wishes_;
  }
  for (const std::shared_ptr<Target>& target : targets_) {
    // Asked first: what was written before the process ended is read below.
    const int pidfd = target->pidfd.fd();
    target->has_ended = pidfd < 0 || is_readable(pidfd);
    room_.clear();
    fullest = std::max(fullest, target->memory.drain(room_, kMostPerTarget));
    drain_activities(*target);
    if (!target->has_ended) target->memory.keep_alive();
    if (!target->has_ended && wishes) target->memory.wish(*wishes);
    hand_over(target, target->has_ended);
  }
  std::erase_if(targets_, [&](const auto& target) {
    if (!target->has_ended) return false;
    known_files_.erase(target->file);
    target->pidfd.close();
    target->lock.close();
    return true;
  });
  return fullest;
}

/// Asks for the state before: when CUPTI is off again, its last records are there.
void Targets::drain_activities(Target& target) {
  target.has_kernels = target.memory.has_activities();
  target.memory.drain_activities(activity_room_);
  target.has_kernels = target.has_kernels || !activity_room_.empty();
}

/// Puts what is in `room_` where `take` finds it.
void Targets::hand_over(const std::shared_ptr<Target>& target, bool is_last) {
  if (room_.empty() && activity_room_.empty() && !is_last) return;
  const std::lock_guard lock(mutex_);
  if (waiting_records_ + room_.size() + activity_room_.size() > kMostWaiting) {
    harvest_.lost += room_.size() + activity_room_.size();
    room_.clear();
    activity_room_.clear();
  }
  waiting_records_ += room_.size() + activity_room_.size();
  harvest_.parts.push_back({.target = target,
                            .records = room_,
                            .activities = std::move(activity_room_),
                            .is_last = is_last,
                            .has_kernels = target->has_kernels});
  activity_room_.clear();
}

void Targets::run() {
  int pauses = 0;
  while (true) {
    look_for_new();
    if (options_.root_pid != 0 && pauses++ % kLooksForProcesses == 0) {
      for (const std::int64_t pid : with_descendants(options_.root_pid)) {
        std::optional<Arrival> arrival = find_agent(pid);
        if (!arrival) continue;
        if (const Status added = add(std::move(*arrival), false); !added) {
          warn(added.error().message);
        }
      }
    }
    const bool is_urgent = drain_all() > kFull;
    std::unique_lock lock(mutex_);
    if (wakes_.wait_for(lock, is_urgent ? kShortPause : kPause, [&] { return is_ending_; })) break;
  }
  look_for_new();
  for (const auto& target : targets_) target->memory.stop();
  // A thread may be about to finish its record, and CUPTI may have some left.
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (int i = 0; i < 100; ++i) {
    const bool is_done = std::none_of(targets_.begin(), targets_.end(), [](const auto& target) {
      return target->memory.counts().activity_state == wire::ActivityState::kOn;
    });
    if (is_done) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (const std::shared_ptr<Target>& target : targets_) {
    room_.clear();
    target->memory.drain(room_, kMostPerTarget);
    drain_activities(*target);
    hand_over(target, true);
  }
  targets_.clear();
}

}  // namespace tactus::record
