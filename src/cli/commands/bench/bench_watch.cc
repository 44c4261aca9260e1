#include "cli/commands/bench/bench_watch.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "bench/candidate/file_watch.h"
#include "cli/command.h"

namespace tactus::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> is_watch_interrupted = false;

extern "C" void on_watch_interrupt(int) {
  is_watch_interrupted = true;
}

enum class Wake : std::uint8_t { kEvent, kInterrupt, kTimeout };

/// Waits for something to happen in the watched folder. Ctrl-C ends the wait, not the process; it
/// is let through only while we wait, so that none is missed.
Wake wait_for_event(int descriptor, std::optional<Clock::time_point> end) {
  sigset_t interrupts, before;
  ::sigemptyset(&interrupts);
  ::sigaddset(&interrupts, SIGINT);
  ::sigaddset(&interrupts, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &interrupts, &before);
  struct sigaction action {};
  action.sa_handler = on_watch_interrupt;
  struct sigaction interrupt_before {};
  struct sigaction end_before {};
  ::sigaction(SIGINT, &action, &interrupt_before);
  ::sigaction(SIGTERM, &action, &end_before);
  struct pollfd events {
    .fd = descriptor, .events = POLLIN, .revents = 0
  };
  int ready = -1;
  do {
    timespec left{};
    if (end) {
      const auto ns = std::max<std::int64_t>(
          0, std::chrono::duration_cast<std::chrono::nanoseconds>(*end - Clock::now()).count());
      left = {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    }
    ready = ::ppoll(&events, 1, end ? &left : nullptr, &before);
  } while (ready < 0 && errno == EINTR && !is_watch_interrupted);
  ::sigaction(SIGINT, &interrupt_before, nullptr);
  ::sigaction(SIGTERM, &end_before, nullptr);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (is_watch_interrupted) return Wake::kInterrupt;
  return ready > 0 ? Wake::kEvent : Wake::kTimeout;
}

bool are_of_one_shape(const BenchRow& a, const BenchRow& b) {
  return a.operator_name == b.operator_name && a.shape_id == b.shape_id;
}

/// A run that broke a row leaves its last time, so that the next one can be compared.
void remember(BenchResult result, WatchedBefore& before) {
  for (const BenchRow& row : result.rows) {
    if (row.status != BenchStatus::kOk || !row.t_ns) continue;
    std::erase_if(before.timed.rows,
                  [&](const BenchRow& old) { return are_of_one_shape(old, row); });
    before.timed.rows.push_back(row);
  }
  before.last = std::move(result);
}

}  // namespace

Status watch_bench(BenchRequest request, const Catalogue& catalogue, Progress& progress,
                   const ShowWatched& show) {
  Result<FileWatch> watch = FileWatch::start(request.candidate);
  if (!watch) return watch.error();
  std::optional<Clock::time_point> end;
  if (request.limit_seconds > 0) {
    end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(request.limit_seconds));
  }
  is_watch_interrupted = false;
  WatchedBefore before;
  HardwareProfile hardware;
  while (true) {
    Result<MeasuredBench> measured = run_bench(request, catalogue, progress);
    if (!measured) return measured.error();
    const Status shown = show(measured->result, before);
    if (!shown) return shown;
    remember(std::move(measured->result), before);
    // Found once: bounds that move from run to run would look like changes of the kernel.
    if (measured->hardware) {
      hardware = *measured->hardware;
      request.hardware = &hardware;
    }
    while (true) {
      const Wake wake = wait_for_event(watch->descriptor(), end);
      if (wake != Wake::kEvent) return {};
      const Result<bool> changed = watch->take_change();
      if (!changed) return changed.error();
      if (*changed) break;
    }
    if (end) {
      request.limit_seconds = std::chrono::duration<double>(*end - Clock::now()).count();
      if (request.limit_seconds <= 0) return {};
    }
  }
}

}  // namespace tactus::cli
