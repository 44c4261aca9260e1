#include "record/session/agent_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "wire/ticks.h"

namespace tactus::record {
namespace {

/// A file that cannot become smaller: reading it is never a bus error.
bool has_fixed_size(int fd, std::size_t bytes) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || status.st_size != static_cast<off_t>(bytes)) return false;
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::string text_of_uuid(const unsigned char (&uuid)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU-";
  bool is_given = false;
  for (std::size_t i = 0; i < sizeof uuid; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 15];
    is_given = is_given || uuid[i] != 0;
  }
  return is_given ? text : "";
}

}  // namespace

Result<AgentMemory> AgentMemory::map(const File& data, const File& control) {
  // Another version may have other sizes, so what it says comes first.
  std::uint64_t start[2] = {};
  if (pread(data.fd(), start, sizeof start, 0) != sizeof start || start[0] != wire::kMagic) {
    return input_error("what the agent handed over is not its memory");
  }
  if (static_cast<std::uint32_t>(start[1]) != wire::kLayoutVersion ||
      !has_fixed_size(data.fd(), sizeof(wire::Data)) ||
      !has_fixed_size(control.fd(), sizeof(wire::Control))) {
    return input_error(
        "the agent in that process is of another version of Tactus; start the process again with "
        "the agent of this one");
  }
  void* read_only = mmap(nullptr, sizeof(wire::Data), PROT_READ, MAP_SHARED, data.fd(), 0);
  void* shared =
      mmap(nullptr, sizeof(wire::Control), PROT_READ | PROT_WRITE, MAP_SHARED, control.fd(), 0);
  if (read_only == MAP_FAILED || shared == MAP_FAILED) {
    const std::string text = error_text(errno);
    if (read_only != MAP_FAILED) munmap(read_only, sizeof(wire::Data));
    if (shared != MAP_FAILED) munmap(shared, sizeof(wire::Control));
    return broke_error("cannot map the memory of the agent: " + text);
  }
  AgentMemory memory(static_cast<const wire::Data*>(read_only),
                     static_cast<wire::Control*>(shared));
  memory.is_mapped_ = true;
  return memory;
}

AgentMemory::AgentMemory(AgentMemory&& other) noexcept
    : data_(other.data_),
      control_(other.control_),
      is_mapped_(std::exchange(other.is_mapped_, false)),
      damaged_(other.damaged_.load()) {
  activity_tail_ = other.activity_tail_;
  std::copy(std::begin(other.tails_), std::end(other.tails_), tails_);
  std::copy(std::begin(other.dropped_before_), std::end(other.dropped_before_), dropped_before_);
}

AgentMemory::~AgentMemory() {
  if (!is_mapped_) return;
  munmap(const_cast<wire::Data*>(data_), sizeof(wire::Data));
  munmap(control_, sizeof(wire::Control));
}

void AgentMemory::begin(const Wishes& wishes) {
  for (std::uint32_t ring = 0; ring < wire::kRings; ++ring) {
    tails_[ring] = data_->rings[ring].head.load(std::memory_order_acquire);
    dropped_before_[ring] = data_->rings[ring].dropped.load(std::memory_order_relaxed);
    control_->tails[ring].store(tails_[ring], std::memory_order_release);
  }
  control_->budget_ppm.store(wishes.budget_ppm, std::memory_order_relaxed);
  activity_tail_ = data_->activities.head.load(std::memory_order_acquire);
  control_->activity_tail.store(activity_tail_, std::memory_order_release);
  wish(wishes);
  keep_alive();
}

void AgentMemory::wish(const Wishes& wishes) {
  control_->stacks.store(wishes.stacks, std::memory_order_relaxed);
  control_->activities.store(wishes.activities ? 1 : 0, std::memory_order_relaxed);
}

void AgentMemory::keep_alive() {
  control_->heartbeat_ns.store(monotonic_ns(), std::memory_order_relaxed);
  if (control_->recording.exchange(wire::kLight, std::memory_order_release) != wire::kOff) return;
  // An agent without hooks sleeps until somebody records.
  ::syscall(SYS_futex, &control_->recording, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void AgentMemory::stop() {
  control_->recording.store(wire::kOff, std::memory_order_release);
}

double AgentMemory::drain_ring(std::uint32_t ring, std::vector<ThreadRecord>& into,
                               std::size_t limit) {
  const wire::RingHeader& header = data_->rings[ring];
  const std::uint64_t head = header.head.load(std::memory_order_acquire);
  std::uint64_t& tail = tails_[ring];
  if (head == tail) return 0;
  if (head < tail || head - tail > wire::kRingRecords) {
    ++damaged_;  // an agent never does that; go on from where it says it is
    tail = head;
    control_->tails[ring].store(tail, std::memory_order_release);
    return 0;
  }
  const std::uint32_t tid = header.tid.load(std::memory_order_relaxed);
  const double fill = static_cast<double>(head - tail) / static_cast<double>(wire::kRingRecords);
  const std::uint64_t until = tail + std::min<std::uint64_t>(head - tail, limit);
  for (; tail < until; ++tail) {
    ThreadRecord& copy = into.emplace_back();
    std::memcpy(&copy.record, &data_->records[ring][tail % wire::kRingRecords], sizeof copy.record);
    copy.ring = ring;
    copy.tid = ring == wire::kSharedRing ? copy.record.sequence : tid;
  }
  control_->tails[ring].store(tail, std::memory_order_release);
  return fill;
}

double AgentMemory::drain(std::vector<ThreadRecord>& into, std::size_t limit) {
  double fullest = 0;
  for (std::uint32_t ring = 0; ring < wire::kRings; ++ring) {
    if (data_->rings[ring].use.load(std::memory_order_relaxed) == 0 && ring != wire::kSharedRing) {
      continue;
    }
    const std::size_t before = into.size();
    fullest = std::max(fullest, drain_ring(ring, into, limit));
    limit -= into.size() - before;
  }
  return fullest;
}

void AgentMemory::drain_activities(std::vector<wire::Activity>& into) {
  const wire::ActivityArea& area = data_->activities;
  const std::uint64_t head = area.head.load(std::memory_order_acquire);
  if (head < activity_tail_ || head - activity_tail_ > wire::kActivityRecords) {
    ++damaged_;
    activity_tail_ = head;
  }
  for (; activity_tail_ < head; ++activity_tail_) {
    std::memcpy(&into.emplace_back(), &area.records[activity_tail_ % wire::kActivityRecords],
                sizeof(wire::Activity));
  }
  control_->activity_tail.store(activity_tail_, std::memory_order_release);
}

std::string AgentMemory::name(std::uint32_t id) const {
  if (id == wire::kNoName || id >= wire::kNames) return {};
  const wire::Name& entry = data_->names[id];
  const std::uint32_t length =
      std::min(entry.length.load(std::memory_order_acquire), wire::kLongestName);
  const std::uint32_t offset = entry.offset;
  if (length == 0 || offset > wire::kTextBytes - length) return {};
  return std::string(data_->text + offset, length);
}

std::optional<AgentStream> AgentMemory::stream(std::uint16_t place) const {
  if (place >= wire::kStreams) return std::nullopt;
  const wire::Stream& entry = data_->streams[place];
  if (entry.is_known.load(std::memory_order_acquire) == 0) return std::nullopt;
  const AgentStream found{.device = entry.device, .handle = entry.handle};
  const bool makes_sense =
      found.device >= -1 && found.device < static_cast<std::int32_t>(wire::kDevices);
  return makes_sense ? std::optional(found) : std::nullopt;
}

std::optional<wire::StackNode> AgentMemory::stack_node(std::uint32_t number) const {
  if (number == 0 || number >= wire::kStackNodes) return std::nullopt;
  wire::StackNode node{};
  std::memcpy(&node, &data_->stacks.node[number], sizeof node);
  return node.caller < number ? std::optional(node) : std::nullopt;
}

std::optional<wire::Frame> AgentMemory::frame(std::uint32_t number) const {
  if (number == 0 || number >= wire::kFrames) return std::nullopt;
  wire::Frame frame{};
  std::memcpy(&frame, &data_->stacks.frame[number], sizeof frame);
  return frame;
}

std::optional<wire::Scope> AgentMemory::scope(std::uint32_t number) const {
  if (number == wire::kNoScope || number >= wire::kScopes) return std::nullopt;
  wire::Scope scope{};
  std::memcpy(&scope, &data_->scopes.scope[number], sizeof scope);
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;
  const bool makes_sense = scope.call < wire::OperatorCall::kCount && scope.m < kLargest &&
                           scope.n < kLargest && scope.k < kLargest;
  return makes_sense ? std::optional(scope) : std::nullopt;
}

std::vector<AgentDevice> AgentMemory::devices() const {
  std::vector<AgentDevice> found;
  for (std::uint32_t i = 0; i < wire::kDevices; ++i) {
    const wire::Device& device = data_->header.devices[i];
    if (device.is_known.load(std::memory_order_acquire) == 0) continue;
    char name[sizeof device.name];
    unsigned char uuid[sizeof device.uuid];
    std::memcpy(name, device.name, sizeof name);
    std::memcpy(uuid, device.uuid, sizeof uuid);
    found.push_back({.index = static_cast<std::int32_t>(i),
                     .name = std::string(name, strnlen(name, sizeof name)),
                     .uuid = text_of_uuid(uuid)});
  }
  return found;
}

AgentCounts AgentMemory::counts() const {
  AgentCounts counts;
  const std::uint64_t now = wire::ticks();
  for (std::uint32_t i = 0; i < wire::kRings; ++i) {
    const wire::RingHeader& ring = data_->rings[i];
    const std::uint64_t dropped = ring.dropped.load(std::memory_order_relaxed);
    if (dropped > dropped_before_[i]) counts.ring_full += dropped - dropped_before_[i];
    counts.gpu_times_left_out += ring.gpu_times_left_out.load(std::memory_order_relaxed);
    const std::uint64_t since = ring.since_ticks.load(std::memory_order_relaxed);
    const std::uint64_t own = ring.own_ticks.load(std::memory_order_relaxed);
    if (since == 0 || since >= now || own > now - since) continue;
    counts.overhead =
        std::max(counts.overhead, static_cast<double>(own) / static_cast<double>(now - since));
  }
  counts.no_ring = data_->header.no_ring.load(std::memory_order_relaxed);
  counts.interrupted = data_->header.nested.load(std::memory_order_relaxed);
  counts.names_lost = data_->header.names_lost.load(std::memory_order_relaxed);
  counts.damaged = damaged_;
  const wire::StackArea& stacks = data_->stacks;
  counts.stacks_lost = std::uint64_t{stacks.no_room.load(std::memory_order_relaxed)} +
                       stacks.busy.load(std::memory_order_relaxed);
  const wire::ActivityArea& activities = data_->activities;
  counts.activities_lost = activities.dropped.load(std::memory_order_relaxed) +
                           activities.cupti_dropped.load(std::memory_order_relaxed);
  counts.activity_attempts = activities.attempts.load(std::memory_order_acquire);
  counts.activity_state = activities.state.load(std::memory_order_acquire);
  counts.activity_result = activities.result.load(std::memory_order_relaxed);
  if (counts.activity_state == wire::ActivityState::kHeld) {
    char holder[sizeof activities.holder];
    std::memcpy(holder, activities.holder, sizeof holder);
    counts.activity_holder = std::string(holder, strnlen(holder, sizeof holder));
  }
  counts.python = stacks.python.load(std::memory_order_relaxed);
  counts.python_version = stacks.python_version.load(std::memory_order_relaxed);
  return counts;
}

std::string AgentMemory::command() const {
  char text[sizeof data_->header.command];
  std::memcpy(text, data_->header.command, sizeof text);
  return std::string(text, strnlen(text, sizeof text));
}

std::optional<std::int64_t> AgentMemory::rank() const {
  const std::int32_t rank = data_->header.rank;
  return rank >= 0 ? std::optional<std::int64_t>(rank) : std::nullopt;
}

std::optional<std::int64_t> AgentMemory::world_size() const {
  const std::int32_t size = data_->header.world_size;
  return size > 0 ? std::optional<std::int64_t>(size) : std::nullopt;
}

}  // namespace tactus::record
