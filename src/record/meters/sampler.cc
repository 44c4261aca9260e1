#include "record/meters/sampler.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <system_error>

namespace tactus::meters {
namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t steady_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

File make_event() {
  return File(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void set_event(const File& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event.fd(), &one, sizeof one);
}

/// True if the event was set before that time on CLOCK_MONOTONIC.
bool wait_for(const File& event, std::int64_t until_ns) {
  while (true) {
    const std::int64_t left_ns = std::max<std::int64_t>(0, until_ns - steady_ns());
    const timespec left{.tv_sec = static_cast<time_t>(left_ns / 1'000'000'000),
                        .tv_nsec = static_cast<long>(left_ns % 1'000'000'000)};
    pollfd wanted{.fd = event.fd(), .events = POLLIN, .revents = 0};
    const int ready = ::ppoll(&wanted, 1, &left, nullptr);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace

Sampler::Sampler(Options options, std::shared_ptr<MeterTable> table)
    : state_(std::make_shared<State>(std::move(options), std::move(table))) {}

Sampler::~Sampler() {
  constexpr std::int64_t kPatience = 2'000 * kMillisecond;
  stop(kPatience);
}

bool Sampler::start() {
  state_->wake = make_event();
  state_->done = make_event();
  if (!state_->wake.is_open() || !state_->done.is_open()) return false;
  // The thread inherits the mask: signals are for the recorder's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    thread_ = std::thread([state = state_] {
      pthread_setname_np(pthread_self(), state->options.name.substr(0, 15).c_str());
      state->run();
      set_event(state->done);
    });
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

bool Sampler::stop(std::int64_t patience_ns) {
  if (!thread_.joinable()) return true;
  set_event(state_->wake);
  if (wait_for(state_->done, steady_ns() + patience_ns)) {
    thread_.join();
    return true;
  }
  thread_.detach();
  return false;
}

SamplerStats Sampler::stats() const {
  return {.name = state_->options.name,
          .turns = state_->turns.load(),
          .skipped = state_->skipped.load(),
          .samples = state_->ring.pushed(),
          .lost = state_->ring.lost(),
          .cpu_ns = state_->cpu_ns.load(),
          .wall_ns = state_->wall_ns.load(),
          .stretch = state_->stretch.load()};
}

void Sampler::State::run() {
  MeterReaders readers = options.prepare(*table);
  cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (readers.empty()) return;
  MeterSink sink(*table, ring);
  std::vector<std::int64_t> read_at(readers.size(), INT64_MIN / 2);
  began_ns = steady_ns();
  judged_wall_ns = began_ns;
  judged_cpu_ns = cpu_ns;
  std::int64_t next_ns = began_ns;
  while (!wait_for(wake, next_ns)) {
    const auto period_ns =
        static_cast<std::int64_t>(static_cast<double>(options.period_ns) * stretch.load());
    take_turn(readers, read_at, sink, period_ns);
    next_ns += period_ns;
    const std::int64_t late_ns = steady_ns() - next_ns;
    if (late_ns > 0) {  // stays on the grid
      const std::int64_t missed = late_ns / period_ns + 1;
      skipped += static_cast<std::uint64_t>(missed);
      next_ns += missed * period_ns;
    }
  }
  wall_ns = steady_ns() - began_ns;
}

void Sampler::State::take_turn(MeterReaders& readers, std::vector<std::int64_t>& read_at,
                               MeterSink& sink, std::int64_t period_ns) {
  const std::int64_t now_ns = steady_ns();
  for (std::size_t i = 0; i < readers.size(); ++i) {
    // Half a period early is better than half a period late.
    if (now_ns - read_at[i] < readers[i]->least_ns() - period_ns / 2) continue;
    read_at[i] = now_ns;
    readers[i]->read(sink);
  }
  ++turns;
  cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  wall_ns = steady_ns() - began_ns;
  if (options.budget > 0) keep_budget();
}

/// Takes turns less often while they cost more than the budget.
void Sampler::State::keep_budget() {
  const std::int64_t now_ns = steady_ns();
  if (now_ns - judged_wall_ns < 1'000 * kMillisecond) return;
  const double share =
      static_cast<double>(cpu_ns - judged_cpu_ns) / static_cast<double>(now_ns - judged_wall_ns);
  judged_wall_ns = now_ns;
  judged_cpu_ns = cpu_ns;
  const double over = share / options.budget;
  constexpr double kMost = 100;
  if (over > 1) {
    stretch = std::min(kMost, stretch * over);
  } else if (over < 0.8) {
    stretch = std::max(1.0, stretch * std::max(0.5, over));
  }
}

}  // namespace tactus::meters
