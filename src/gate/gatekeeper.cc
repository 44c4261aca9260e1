#include "gate/gatekeeper.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <ctime>

#include "gate/cpu_budget.h"

namespace tactus::gate {
namespace {

constexpr std::int64_t kHeartbeatNs = 10'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
/// Of a core: clients that ring all the time are not heard every time.
constexpr double kMostShare = 0.025;
constexpr std::size_t kMostKept = 1'000'000;

void futex(std::atomic<std::uint32_t>* word, int what, std::uint32_t value,
           const timespec* timeout) {
  ::syscall(SYS_futex, word, what, value, timeout, nullptr, 0);
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

Gatekeeper::Gatekeeper(const Policy& policy, SharedFile<wire::GateControl>& control,
                       SharedFile<wire::GateBell>& bell, const Clients& clients, bool keeps_changes)
    : policy_(policy),
      control_(*control),
      bell_(*bell),
      clients_(clients),
      keeps_changes_(keeps_changes) {
  control_.heartbeat_ns.store(static_cast<std::uint64_t>(monotonic_ns()));
  control_.is_serving.store(1);
  thread_ = std::thread([this] { run(); });
}

Gatekeeper::~Gatekeeper() {
  is_ending_.store(true);
  wake();
  thread_.join();
  // Open for good: nobody is left behind. The next launch of each program comes to see it, and
  // looks for another gate from then on.
  control_.is_serving.store(0);
  control_.word.store(((control_.word.load() & ~wire::kGateBusyBits) + wire::kGateEpoch) |
                      wire::kGateCountsAll);
  futex(&control_.word, FUTEX_WAKE, INT_MAX, nullptr);
}

void Gatekeeper::wake() {
  bell_.rings.fetch_add(1);
  futex(&bell_.rings, FUTEX_WAKE, INT_MAX, nullptr);
}

void Gatekeeper::publish(std::uint32_t closed, std::uint32_t limited) {
  const std::uint32_t before = control_.word.load(std::memory_order_relaxed);
  const std::uint32_t low = (closed & wire::kGateClosedBits) |
                            counted_classes(policy_) << wire::kGateCountedShift |
                            limited << wire::kGateLimitedShift;
  if ((before & wire::kGateBusyBits) == low) return;
  const std::int64_t now = keeps_changes_ ? monotonic_ns() : 0;
  control_.word.store(((before & ~wire::kGateBusyBits) + wire::kGateEpoch) | low,
                      std::memory_order_release);
  changes_.fetch_add(1);
  // Only who may go on has to wake up; a waiter of a class that stays closed sleeps again.
  if ((before & wire::kGateClosedBits & ~closed) != 0) {
    futex(&control_.word, FUTEX_WAKE, INT_MAX, nullptr);
  }
  if (!keeps_changes_) return;
  const std::lock_guard lock(mutex_);
  if (kept_.size() < kMostKept) kept_.push_back({now, closed & wire::kGateClosedBits});
}

std::vector<Change> Gatekeeper::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void Gatekeeper::sleep_until(std::int64_t at_ns, std::uint32_t rings) const {
  const std::int64_t left = std::max<std::int64_t>(at_ns - monotonic_ns(), 0);
  const timespec timeout{.tv_sec = left / kSecond, .tv_nsec = left % kSecond};
  bell_.is_waited_for.store(1);
  futex(&bell_.rings, FUTEX_WAIT, rings, &timeout);
  bell_.is_waited_for.store(0);
}

void Gatekeeper::run() {
  // Otherwise the kernel adds 50 us to every timeout.
  ::prctl(PR_SET_TIMERSLACK, 1000);
  PolicyState state;
  CpuBudget budget(kMostShare);
  while (!is_ending_.load()) {
    const std::uint32_t rings = bell_.rings.load();
    const std::int64_t now = monotonic_ns();
    control_.heartbeat_ns.store(static_cast<std::uint64_t>(now));
    if (clients_.size() == 0) {
      publish(0, 0);
      // Nobody reads the heartbeat; whoever comes wakes this thread before it is let in.
      sleep_until(now + 3600 * kSecond, rings);
      continue;
    }
    const Decision decision = decide(policy_, state, clients_.look(now));
    publish(decision.closed, decision.limited);
    std::int64_t until = now + kHeartbeatNs;
    if (decision.again_at_ns != 0) until = std::min(until, decision.again_at_ns);
    sleep_until(until, rings);
    if (const std::int64_t nap = budget.nap_ns(now, clock_ns(CLOCK_THREAD_CPUTIME_ID)); nap > 0) {
      const timespec pause{.tv_sec = 0, .tv_nsec = nap};
      ::nanosleep(&pause, nullptr);
    }
  }
}

}  // namespace tactus::gate
