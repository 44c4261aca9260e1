#include "record/meters/meter.h"

#include <ctime>

namespace tactus::meters {
namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

MeterTime meter_time() {
  const std::int64_t real_ns = read_clock(CLOCK_REALTIME);
  return {.real_ns = real_ns, .raw_ns = read_clock(CLOCK_MONOTONIC_RAW)};
}

std::int64_t steady_ns() {
  return read_clock(CLOCK_MONOTONIC);
}

const char* scope_name(MeterScope scope) {
  switch (scope) {
    case MeterScope::kAll: return "all";
    case MeterScope::kOwn: return "own";
    case MeterScope::kForeign: return "foreign";
  }
  return "all";
}

}  // namespace tactus::meters
