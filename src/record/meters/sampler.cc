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

std::int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
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

Sampler::Sampler(Options options, std::shared_ptr<MeterTable> table,
                 std::shared_ptr<MeterBudget> budget)
    : state_(std::make_shared<State>(std::move(options), std::move(table), std::move(budget))) {}

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
          .turns = state_->turn_count.load(),
          .skipped = state_->skipped.load(),
          .samples = state_->ring.pushed(),
          .lost = state_->ring.lost(),
          .cpu_ns = state_->cpu_ns.load(),
          .wall_ns = state_->wall_ns.load()};
}

void Sampler::State::run() {
  const MeterReaders readers = options.prepare(*table);
  cpu_ns = thread_cpu_ns();
  if (readers.empty()) return;
  MeterSink sink(*table, ring);
  began_ns = steady_ns();
  std::vector<Turn> turns;
  for (const std::unique_ptr<MeterReader>& reader : readers) {
    turns.push_back({*reader, budget->add(reader->facts()), began_ns, false});
  }
  std::int64_t next_ns = began_ns;
  while (!wait_for(wake, next_ns)) {
    take_turn(turns, sink);
    next_ns = INT64_MAX;
    for (const Turn& turn : turns) next_ns = std::min(next_ns, next_due_ns(turn));
  }
  wall_ns = steady_ns() - began_ns;
}

std::int64_t Sampler::State::next_due_ns(const Turn& turn) const {
  return turn.was_read ? turn.due_ns + budget->period_ns(turn.number) : turn.due_ns;
}

void Sampler::State::take_turn(std::vector<Turn>& turns, MeterSink& sink) {
  const std::int64_t now_ns = steady_ns();
  for (Turn& turn : turns) {
    if (next_due_ns(turn) <= now_ns) read(turn, sink, now_ns);
  }
  ++turn_count;
  wall_ns = steady_ns() - began_ns;
}

void Sampler::State::read(Turn& turn, MeterSink& sink, std::int64_t now_ns) {
  const std::int64_t period_ns = budget->period_ns(turn.number);
  turn.due_ns = next_due_ns(turn);
  turn.was_read = true;
  if (const std::int64_t missed = (now_ns - turn.due_ns) / period_ns; missed > 0) {
    skipped += static_cast<std::uint64_t>(missed);
    turn.due_ns += missed * period_ns;  // readings stay equally far apart
  }
  // What was spent on waking up is for the reader that is due first.
  const std::int64_t before_ns = cpu_ns;
  turn.reader.read(sink);
  cpu_ns = thread_cpu_ns();
  budget->charge(turn.number, cpu_ns - before_ns, steady_ns());
}

}  // namespace tactus::meters
