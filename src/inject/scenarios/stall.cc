#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "inject/scenario.h"
#include "inject/watchdog.h"

namespace tactus::inject {
namespace {

constexpr std::int64_t kPeriod = 200'000'000;       // [ns]
constexpr std::int64_t kLongestStop = 100'000'000;  // [ns] of a stop, at intensity 1

bool send(int target, int signal) {
  return ::syscall(SYS_pidfd_send_signal, target, signal, nullptr, 0) == 0;
}

}  // namespace

Status plan_stall(const Machine&, Plan& plan) {
  if (!plan.request.pid) return usage_error("give the process to stop with --pid");
  if (const std::string why = why_not_stop(*plan.request.pid); !why.empty()) {
    return input_error(fmt::format("process {}: {}", *plan.request.pid, why));
  }
  plan.text = fmt::format("stops process {} for {:.0f} ms of each 200 ms; a watchdog continues it",
                          *plan.request.pid, plan.request.intensity * 100);
  return {};
}

void run_stall(const Plan& plan, const Pace& pace, Dose& dose) {
  std::signal(SIGPIPE, SIG_IGN);  // a watchdog that is gone is an error of `will_stop`
  const Result<Watchdog> watchdog = Watchdog::start(*plan.request.pid);
  if (!watchdog) return dose.say(watchdog.error().message);
  for (std::int64_t next = monotonic_ns(); !pace.is_over(); next += kPeriod) {
    sleep_until(std::min(next, pace.end_ns()));
    const std::int64_t begin = monotonic_ns();
    const auto stop = static_cast<std::int64_t>(pace.level() * static_cast<double>(kLongestStop));
    if (stop <= 0) continue;
    if (!watchdog->will_stop()) return dose.say("ended early: the watchdog is gone");
    const bool stopped = send(watchdog->target(), SIGSTOP);
    sleep_until(std::min(begin + stop, pace.end_ns()));
    const bool continued = send(watchdog->target(), SIGCONT);
    if (!stopped || !continued) return dose.say("ended early: the process is gone");
    watchdog->was_continued();
    dose.stopped_ns.fetch_add(monotonic_ns() - begin, std::memory_order_relaxed);
    dose.operations.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace tactus::inject
