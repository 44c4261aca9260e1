#include "record/host/host_tracer.h"

#include <chrono>

#include "record/host/driver_calls.h"

namespace tactus::record {
namespace {

/// The ring has room for 90,000 events.
constexpr auto kPause = std::chrono::milliseconds(100);
/// Events that wait to be taken, at most: 130 MB.
constexpr std::size_t kMostWaiting = 1'000'000;

}  // namespace

Result<std::unique_ptr<HostTracer>> HostTracer::start(const HostProgram::Options& options) {
  Result<HostProgram> program = HostProgram::load(options);
  if (!program) return program.error();
  return std::unique_ptr<HostTracer>(new HostTracer(std::move(*program)));
}

HostTracer::HostTracer(HostProgram program) : program_(std::move(program)) {
  thread_ = std::thread([this] { run(); });
}

HostTracer::~HostTracer() {
  stop();
}

Status HostTracer::add_process(std::int64_t pid) {
  return program_.add_process(pid);
}

Result<std::size_t> HostTracer::watch_driver(std::int64_t pid) {
  const std::string library = find_driver(pid);
  if (library.empty()) return std::size_t{0};
  std::size_t watched = 0;
  std::optional<Error> first;
  for (std::size_t i = 0; i < driver_calls().size(); ++i) {
    const DriverCall& call = driver_calls()[i];
    const Status status = program_.watch_call(pid, library, std::string(call.name), call.what,
                                              static_cast<std::uint32_t>(i), call.waits());
    if (status) ++watched;
    if (!status && !first) first = status.error();
  }
  // A driver need not have all of them.
  if (watched == 0 && first) return *first;
  return watched;
}

void HostTracer::run() {
  while (true) {
    drain();
    std::unique_lock lock(mutex_);
    if (wakes_.wait_for(lock, kPause, [&] { return is_ending_; })) return;
  }
}

void HostTracer::drain() {
  room_.clear();
  std::uint64_t damaged = 0;
  program_.receive([&](std::span<const std::byte> bytes) {
    if (const std::optional<HostEvent> event = read_host_event(bytes)) {
      room_.push_back(*event);
    } else {
      ++damaged;
    }
  });
  const std::lock_guard lock(mutex_);
  harvest_.damaged += damaged;
  if (harvest_.events.size() + room_.size() > kMostWaiting) {
    harvest_.lost += room_.size();
    return;
  }
  harvest_.events.insert(harvest_.events.end(), room_.begin(), room_.end());
}

HostHarvest HostTracer::take() {
  const std::lock_guard lock(mutex_);
  HostHarvest taken{.events = std::move(harvest_.events),
                    .lost = harvest_.lost + program_.lost(),
                    .damaged = harvest_.damaged,
                    .threads_lost = program_.threads_lost()};
  harvest_.events = {};
  return taken;
}

void HostTracer::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_one();
  thread_.join();
  drain();
  program_.stop();
  drain();
}

}  // namespace tactus::record
