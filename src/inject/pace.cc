#include "inject/pace.h"

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace tactus::inject {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSlot = 10'000'000;
/// What was slow may catch up this much.
constexpr std::int64_t kMostBehind = 50'000'000;

std::int64_t now(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() {
  return now(CLOCK_MONOTONIC);
}

std::int64_t wall_clock_ns() {
  return now(CLOCK_REALTIME);
}

void sleep_until(std::int64_t time_ns) {
  const timespec time{.tv_sec = time_ns / kSecond, .tv_nsec = time_ns % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

double Pace::level() const {
  return level_at(shape_, intensity_, seconds_,
                  static_cast<double>(monotonic_ns() - begin_ns_) / 1e9);
}

void Pace::in_slots(const std::function<bool(std::int64_t)>& work) const {
  // A slot begins when the thread gets its core: on a busy machine that is late, and work that had
  // to fit into the rest of a slot would never begin.
  while (!is_over()) {
    const std::int64_t slot = monotonic_ns();
    const auto busy = static_cast<std::int64_t>(level() * static_cast<double>(kSlot));
    if (busy > 0 && !work(std::min(slot + busy, end_ns()))) return;
    sleep_until(std::min(slot + kSlot, end_ns()));
  }
}

void RateLimit::wait_after(std::uint64_t bytes) {
  double level = pace_.level();
  while (level <= 0 && !pace_.is_over()) {
    sleep_until(std::min(monotonic_ns() + kSlot, pace_.end_ns()));
    level = pace_.level();
  }
  if (level <= 0) return;
  const std::int64_t time = monotonic_ns();
  next_ns_ = std::max(next_ns_, time - kMostBehind) +
             static_cast<std::int64_t>(static_cast<double>(bytes) / (bytes_per_s_ * level) * 1e9);
  if (next_ns_ > time) sleep_until(std::min(next_ns_, pace_.end_ns()));
}

}  // namespace tactus::inject
