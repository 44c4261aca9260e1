#include "gate/gate_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace tactus::gate {
namespace {

constexpr std::uint64_t kMostCount = std::uint64_t{1} << 48;

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

template <class T>
Result<SharedFile<T>> make_file(const char* name, bool others_write) {
  File file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  void* memory = MAP_FAILED;
  if (file.is_open() && ::ftruncate(file.fd(), sizeof(T)) == 0) {
    memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  }
  // Mapped first: the last seal is for all who come later.
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | (others_write ? 0 : F_SEAL_FUTURE_WRITE);
  if (memory == MAP_FAILED || ::fcntl(file.fd(), F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) {
    return broke_error("cannot make shared memory: " + error_text(errno));
  }
  return SharedFile<T>(std::move(file), new (memory) T{});
}

std::uint64_t hash_or_any(const std::string& text) {
  return text.empty() ? 0 : wire::gate_hash(text.data(), text.size());
}

wire::GateRule rule_of(const Policy& policy, const ClassRule& rule) {
  wire::GateRule out{};
  out.tag = hash_or_any(rule.tag);
  out.phase = hash_or_any(rule.phase);
  out.kinds = rule.kind == "kernel" ? 1 : rule.kind == "graph" ? 2 : 3;
  out.has_priority = rule.asks_priority() ? 1 : 0;
  out.least_priority = rule.least_priority.value_or(-1000);
  out.most_priority = rule.most_priority.value_or(1000);
  out.has_rows = rule.asks_rows() ? 1 : 0;
  out.least_rows = static_cast<std::uint64_t>(rule.least_rows.value_or(1));
  out.most_rows = static_cast<std::uint64_t>(rule.most_rows.value_or(kMostRows));
  const auto found = std::find(policy.classes.begin(), policy.classes.end(), rule.name);
  out.class_number = static_cast<std::uint32_t>(found - policy.classes.begin());
  return out;
}

std::uint64_t bounded(const std::atomic<std::uint64_t>& count) {
  return std::min(count.load(std::memory_order_relaxed), kMostCount);
}

}  // namespace

template <class T>
SharedFile<T>::~SharedFile() {
  if (memory_ != nullptr) {
    ::munmap(const_cast<void*>(static_cast<const void*>(memory_)), sizeof(T));
  }
}
template class SharedFile<wire::GateControl>;
template class SharedFile<wire::GateBell>;
template class SharedFile<const wire::GateClient>;

Result<SharedFile<wire::GateControl>> make_control(const Policy& policy) {
  Result<SharedFile<wire::GateControl>> made =
      make_file<wire::GateControl>("tactus-gate-control", false);
  if (!made) return made;
  wire::GateControl& control = **made;
  control.version = wire::kGateVersion;
  control.bytes = sizeof control;
  control.max_hold_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(policy.max_hold_ns, 0));
  control.queue_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(policy.queue_ns, 0));
  control.rules =
      static_cast<std::uint32_t>(std::min<std::size_t>(policy.rules.size(), wire::kGateRules));
  for (std::uint32_t i = 0; i < control.rules; ++i)
    control.rule[i] = rule_of(policy, policy.rules[i]);
  control.members =
      static_cast<std::uint32_t>(std::min<std::size_t>(policy.members.size(), wire::kGateMembers));
  std::copy_n(policy.members.begin(), control.members, control.member);
  control.ringing = ringing_classes(policy);
  control.timed = timed_classes(policy);
  std::copy(policy.depth.begin(), policy.depth.end(), control.depth);
  control.magic = wire::kGateMagic;
  return made;
}

Result<SharedFile<wire::GateBell>> make_bell() {
  return make_file<wire::GateBell>("tactus-gate-bell", true);
}

SharedFile<const wire::GateClient> open_client(File file) {
  struct stat status {};
  const int seals = file.is_open() ? ::fcntl(file.fd(), F_GET_SEALS) : -1;
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(file.fd(), &status) != 0 ||
      status.st_size != static_cast<off_t>(sizeof(wire::GateClient))) {
    return {};
  }
  void* memory = ::mmap(nullptr, sizeof(wire::GateClient), PROT_READ, MAP_SHARED, file.fd(), 0);
  if (memory == MAP_FAILED) return {};
  SharedFile<const wire::GateClient> client(std::move(file),
                                            static_cast<const wire::GateClient*>(memory));
  if (client->magic != wire::kGateMagic || client->version != wire::kGateVersion) return {};
  return client;
}

ClientCounts read_counts(const wire::GateCounts& counts) {
  ClientCounts out;
  // In this order: a unit is counted as submitted before it is done.
  out.done = bounded(counts.done);
  out.submitted = std::max(bounded(counts.submitted), out.done);
  out.held = bounded(counts.held);
  out.held_ns = bounded(counts.held_ns);
  out.expired = bounded(counts.expired);
  out.rested = bounded(counts.rested);
  out.longest_ns = bounded(counts.longest_ns);
  out.latest_ns = bounded(counts.latest_ns);
  out.queued = bounded(counts.queued);
  out.queued_ns = bounded(counts.queued_ns);
  out.cost_ns = bounded(counts.cost_ns);
  out.waiting = std::min(counts.waiting.load(std::memory_order_relaxed), 65536u);
  return out;
}

void ClientCounts::add(const ClientCounts& other) {
  submitted += other.submitted;
  done += other.done;
  held += other.held;
  held_ns += other.held_ns;
  expired += other.expired;
  rested += other.rested;
  longest_ns = std::max(longest_ns, other.longest_ns);
  latest_ns = std::max(latest_ns, other.latest_ns);
  queued += other.queued;
  queued_ns += other.queued_ns;
  cost_ns = std::max(cost_ns, other.cost_ns);
  waiting += other.waiting;
}

std::optional<GateMessage> read_message(std::string_view bytes) {
  wire::GateHello hello{};
  if (bytes.size() != sizeof hello) return std::nullopt;
  std::memcpy(&hello, bytes.data(), sizeof hello);
  if (hello.magic != wire::kGateMagic || hello.version != wire::kGateVersion ||
      hello.what < wire::kGateJoin || hello.what > wire::kGateStop) {
    return std::nullopt;
  }
  GateMessage message{.what = static_cast<wire::GateRequest>(hello.what),
                      .rank = hello.rank,
                      .world_size = hello.world_size,
                      .job = hello.job,
                      .pid = hello.pid,
                      .tag = std::string(hello.tag, ::strnlen(hello.tag, sizeof hello.tag))};
  return message;
}

}  // namespace tactus::gate
