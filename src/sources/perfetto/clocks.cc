#include "sources/perfetto/clocks.h"

#include <vector>

#include "base/arithmetic.h"
#include "sources/perfetto/schema.h"
#include "sources/perfetto/wire.h"

namespace tactus::perfetto {
namespace {

std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

TraceClocks::Key TraceClocks::key(std::uint32_t sequence, std::uint32_t clock) {
  const bool is_own = clock >= kFirstOfSequence && clock < kFirstGlobalClock;
  return {is_own ? sequence : 0, clock};
}

void TraceClocks::add_snapshot(std::uint32_t sequence, std::string_view snapshot) {
  struct Reading {
    std::uint32_t clock = 0;
    std::int64_t time_ns = 0;
  };
  std::vector<Reading> readings;
  Message message(snapshot);
  for (Field field; message.next(field);) {
    if (field.number != clock_snapshot::kClocks || !field.is_bytes) continue;
    std::uint32_t id = 0;
    std::int64_t time = 0;
    std::int64_t multiplier = 1;
    bool is_incremental = false;
    Message entry(field.bytes);
    for (Field part; entry.next(part);) {
      if (part.is_bytes) continue;
      if (part.number == clock_snapshot::kClockId) id = static_cast<std::uint32_t>(part.value);
      if (part.number == clock_snapshot::kTimestamp) time = part.as_signed();
      if (part.number == clock_snapshot::kIsIncremental) is_incremental = part.value != 0;
      if (part.number == clock_snapshot::kUnitMultiplier && part.value != 0) {
        multiplier = part.as_signed();
      }
    }
    Clock& clock = clocks_[key(sequence, id)];
    clock.multiplier = multiplier;
    clock.is_incremental = is_incremental;
    clock.last = time;
    readings.push_back({id, wrapping_multiply(time, multiplier)});
  }
  if (readings.empty()) return;

  // The clock that the others are compared with: the boot clock, else one that is known already.
  const Reading* reference = nullptr;
  for (const Reading& reading : readings) {
    const bool is_boot = reading.clock == kBoottimeClock;
    if (is_boot) clocks_[key(sequence, reading.clock)].is_known = true;
    const bool is_known = clocks_[key(sequence, reading.clock)].is_known;
    if (is_boot || (is_known && reference == nullptr)) reference = &reading;
  }
  if (reference == nullptr) reference = &readings.front();
  const std::int64_t now_ns =
      wrapping_add(reference->time_ns, clocks_[key(sequence, reference->clock)].offset_ns);
  for (const Reading& reading : readings) {
    Clock& clock = clocks_[key(sequence, reading.clock)];
    clock.offset_ns = wrapping_subtract(now_ns, reading.time_ns);
    clock.is_known = true;
    if (reading.clock == kRealtimeClock && !base_ns_) {
      base_ns_ = wrapping_subtract(reading.time_ns, now_ns);
    }
  }
  has_snapshot_ = true;
}

std::optional<std::int64_t> TraceClocks::time(std::uint32_t sequence, std::uint32_t clock_id,
                                              std::uint64_t timestamp) {
  const auto found = clocks_.find(key(sequence, clock_id));
  if (found == clocks_.end() || !found->second.is_known) {
    // Without snapshots, every clock is as good as the boot clock.
    if (clock_id != kBoottimeClock && (has_snapshot_ || clock_id >= kFirstOfSequence)) return {};
    return static_cast<std::int64_t>(timestamp);
  }
  Clock& clock = found->second;
  auto time = static_cast<std::int64_t>(timestamp);
  if (clock.is_incremental) time = clock.last = wrapping_add(clock.last, time);
  return wrapping_add(wrapping_multiply(time, clock.multiplier), clock.offset_ns);
}

}  // namespace tactus::perfetto
