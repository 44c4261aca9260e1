#include "bench/timing/ticks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

/// Both clocks at about the same moment: the reading of the other clock that took the shortest.
struct Moment {
  std::uint64_t ticks = 0;
  Clock::time_point time;
};

Moment moment() {
  Moment best;
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t before = read_ticks();
    const Clock::time_point time = Clock::now();
    const std::uint64_t after = read_ticks();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {before + shortest / 2, time};
  }
  return best;
}

double measured_rate() {
  std::array<double, 3> rates{};
  for (double& rate : rates) {
    const Moment begin = moment();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Moment end = moment();
    rate = static_cast<double>(end.ticks - begin.ticks) /
           std::chrono::duration<double, std::nano>(end.time - begin.time).count();
  }
  std::sort(rates.begin(), rates.end());
  return rates[1];
}

}  // namespace

double ticks_per_ns() {
  static const double rate = measured_rate();
  return rate;
}

}  // namespace tactus
