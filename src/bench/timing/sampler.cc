#include "bench/timing/sampler.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "bench/candidate/allocation_count.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 4;
constexpr double kLongCallSeconds = 2e-3;
constexpr double kWarmSeconds = 0.05;
constexpr double kLongestWarmSeconds = 0.5;
constexpr double kBetweenReadings = 0.02;  // [s]; clocks change in steps of about this length
constexpr double kLongestPause = 0.01;     // [s]

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

std::int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

bool went_well(const CallOutcome& outcome) {
  return outcome.code == 0 && outcome.error.empty();
}

/// Detects when two consecutive readings are the same.
class SteadyClock {
 public:
  explicit SteadyClock(Device& device) : device_(device), before_(device.clocks()) {}

  bool steady() {
    if (!before_.sm_mhz) return true;  // clocks cannot be read
    if (seconds_since(read_) < kBetweenReadings) return false;
    read_ = Clock::now();
    const ClockReading now = device_.clocks();
    const bool same = now.sm_mhz == before_.sm_mhz;
    before_ = now;
    return same;
  }

 private:
  Device& device_;
  ClockReading before_;
  Clock::time_point read_ = Clock::now();
};

}  // namespace

CallOutcome Sampler::warm_up(std::uint64_t secret) {
  const Clock::time_point begin = Clock::now();
  CallOutcome outcome;
  SteadyClock clock(device_);
  const auto call = [&] {
    const Clock::time_point before = Clock::now();
    outcome = device_.run(entry_, copies_.next());
    call_seconds_ = seconds_since(before);
    return went_well(outcome);
  };
  if (!call()) return outcome;
  // Long calls use much memory; its place matters less, and visiting all places would take long.
  if (call_seconds_ < kLongCallSeconds && copies_.make_movable(secret)) {
    for (std::size_t move = 0; move < TensorCopies::kArrangements; ++move) {
      if (const Status moved = copies_.move_on(); !moved) {
        return {.code = 0, .error = moved.error().message};
      }
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        if (!call()) return outcome;
      }
    }
  }
  while (seconds_since(begin) < kWarmSeconds ||
         (!clock.steady() && seconds_since(begin) < kLongestWarmSeconds)) {
    if (!call()) return outcome;
  }
  return outcome;
}

void Sampler::sample(const StopRule& stop, std::uint64_t secret, const Audit& audit,
                     Sampling& sampling) {
  begin_ = Clock::now();
  const double affordable = 4 * stop.seconds / std::max(call_seconds_, 1e-9);
  const auto surely = static_cast<std::uint64_t>(
      std::clamp(affordable, 3.0, static_cast<double>(std::max<std::int64_t>(3, stop.at_least))));
  audited_ = secret % surely;
  audited_copy_ = secret / surely % copies_.size();
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(0, stop.at_most)) + kBatch;
  sampling.all.samples_ns.reserve(most);
  while (take_round(stop, audit, sampling) && !finished(stop, sampling)) {
    if (!change_round(stop, sampling)) return;
  }
}

/// Samples during lowered clocks count for the budget, but not as samples.
bool Sampler::finished(const StopRule& stop, const Sampling& sampling) const {
  if (!audit_done_) return false;
  const double spent = seconds_since(begin_) - elsewhere_seconds_;
  if (sampling.lowered == 0) return enough(stop, sampling.all, spent);
  const bool no_more = spent > stop.seconds ||
                       sampling.all.samples_ns.size() >= static_cast<std::size_t>(stop.at_most);
  if (no_more && enough(stop, sampling.all, spent)) return true;
  const Sieved sieved = without_slowed(sampling.all, sampling.slowed);
  return sieved.dropped > 0 && enough(stop, sieved.kept, spent);
}

/// Moves the copies and lets time pass, unless that happens anyway.
bool Sampler::change_round(const StopRule& stop, Sampling& sampling) {
  const Clock::time_point begin = Clock::now();
  if (copies_.movable()) {
    if (const Status moved = copies_.move_on(); !moved) {
      sampling.outcome.error = moved.error().message;
      return false;
    }
  }
  spent_elsewhere(seconds_since(begin));
  std::this_thread::sleep_for(
      std::chrono::duration<double>(std::min(kLongestPause, stop.seconds / 20)));
  return true;
}

bool Sampler::take_round(const StopRule& stop, const Audit& audit, Sampling& sampling) {
  const Clock::time_point begin = Clock::now();
  const std::size_t before = sampling.all.samples_ns.size();
  const auto left = stop.at_most - static_cast<std::int64_t>(before);
  const auto quota =
      static_cast<std::size_t>(std::clamp<std::int64_t>(left, 1, stop.round_samples()));
  sampling.all.begin_round();
  do {
    const std::size_t done = sampling.all.samples_ns.size();
    if (!audit_done_ && done >= audited_) {
      if (!take_audit(audit, sampling)) return false;
      continue;
    }
    // Long calls are timed one by one, so that the budget holds. So are all calls on the CPU, where
    // a batch gains nothing.
    const bool one_by_one = call_seconds_ > kLongCallSeconds || device_.kind() == TACTUS_CPU;
    std::size_t calls = one_by_one ? 1 : kBatch;
    calls = std::min(calls, quota - std::min(quota - 1, done - before));
    if (!audit_done_) calls = std::min<std::size_t>(calls, audited_ - done);
    if (!take_batch(calls, sampling)) return false;
  } while (sampling.all.samples_ns.size() == before ||
           (sampling.all.samples_ns.size() - before < quota &&
            seconds_since(begin) < stop.round_seconds()));
  return true;
}

bool Sampler::take_batch(std::size_t calls, Sampling& sampling) {
  std::vector<const tactus_call*> batch;
  while (batch.size() < calls) batch.push_back(&copies_.next());
  std::vector<double> samples_ns;
  samples_ns.reserve(calls);
  const ClockReading clocks_before = device_.clocks();
  const std::int64_t heap_before = heap_bytes();
  const std::int64_t allocations_before = counted_allocations();
  const std::int64_t faults_before = page_faults();
  sampling.outcome = device_.time(entry_, batch, samples_ns);
  sampling.allocations += counted_allocations() - allocations_before;
  sampling.heap_growth += heap_bytes() - heap_before;
  sampling.heap_calls += static_cast<std::int64_t>(calls);
  if (!sampling.all.samples_ns.empty()) {  // the first allocations are ours: the flush buffer
    sampling.page_faults += page_faults() - faults_before;
    sampling.faults_of_calls += static_cast<std::int64_t>(calls);
  }
  keep(samples_ns, clocks_before, device_.clocks(), sampling);
  return went_well(sampling.outcome);
}

bool Sampler::take_audit(const Audit& audit, Sampling& sampling) {
  std::vector<double> samples_ns;
  const ClockReading clocks_before = device_.clocks();
  const bool goes_on = audit(copies_[audited_copy_], samples_ns);
  audit_done_ = true;
  keep(samples_ns, clocks_before, device_.clocks(), sampling);
  return goes_on;
}

void Sampler::keep(const std::vector<double>& samples_ns, const ClockReading& before,
                   const ClockReading& after, Sampling& sampling) const {
  const std::uint64_t reasons = before.reasons | after.reasons;
  const bool slowed = clocks_lowered(reasons);
  if (slowed) sampling.lowered |= reasons;
  sampling.all.add_to_round(samples_ns);
  sampling.slowed.resize(sampling.all.samples_ns.size(), slowed);
  if (after.sm_mhz) sampling.sm_clocks_mhz.push_back(*after.sm_mhz);
}

}  // namespace tactus
