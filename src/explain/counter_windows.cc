#include "explain/counter_windows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "explain/explanations/causes.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr std::size_t kFewestSamples = 3;  // one may be chance
constexpr double kWhole = 0.9;             // of the samples

/// How far a value lies beyond all of the other recording, as a logarithm; below 0 if it does not.
class Beyond {
 public:
  Beyond(const Signal& signal, const CounterValues& other)
      : harm_(signal.harm == Harm::kDown ? -1 : 1) {
    const std::optional<CounterMatch> match = match_counter(other.counter);
    const bool is_clock = match && match->fact->unit == "MHz";
    floor_ = match && !is_clock ? match->fact->floor : 0;
    const auto [low, high] = std::minmax_element(other.values.begin(), other.values.end());
    limit_ = log_of(harm_ > 0 ? *high : *low) + harm_ * std::log(signal.least);
  }

  double operator()(double value) const { return harm_ * (log_of(value) - limit_); }

 private:
  double log_of(double value) const { return std::log(std::max(value, 0.0) + floor_ + 1e-9); }

  int harm_;
  double floor_ = 0;
  double limit_ = 0;
};

/// The longest stretch of values beyond the others, with single ones between that are not.
std::optional<CounterWindow> window_of(const Signal& signal, const CounterValues& other,
                                       const CounterValues& of) {
  const Beyond beyond(signal, other);
  struct Stretch {
    std::size_t begin = 0;
    std::size_t last = 0;
    std::size_t values = 0;
  };
  Stretch best;
  Stretch now;
  for (std::size_t i = 0; i < of.values.size(); ++i) {
    if (beyond(of.values[i]) <= 0) continue;
    const bool goes_on = now.values > 0 && i - now.last <= 2;
    now = goes_on ? Stretch{now.begin, i, now.values + 1} : Stretch{i, i, 1};
    if (now.values > best.values) best = now;
  }
  if (best.values < kFewestSamples) return std::nullopt;
  if (static_cast<double>(best.values) > kWhole * static_cast<double>(of.values.size())) {
    return std::nullopt;
  }
  std::vector<double> far;
  for (std::size_t i = best.begin; i <= best.last; ++i) far.push_back(beyond(of.values[i]));
  // A sample is about the time before it, too.
  const auto before_ns = static_cast<std::int64_t>(of.seconds_per_sample * 1e9);
  return CounterWindow{
      .counter = of.counter,
      .device = of.device,
      .window = {.begin_ns = of.times_ns[best.begin] - before_ns, .end_ns = of.times_ns[best.last]},
      .strength = median(std::move(far))};
}

}  // namespace

std::vector<CounterWindow> counter_windows(const CounterSide& other, const CounterSide& of) {
  std::vector<CounterWindow> found;
  for (const CounterValues& values : of) {
    const Signal* signal = signal_of(values.counter);
    if (signal == nullptr || signal->own == OwnUse::kFollowsStep) continue;
    if (values.times_ns.size() != values.values.size()) continue;
    for (const CounterValues& there : other) {
      if (there.counter != values.counter || there.device != values.device) continue;
      if (there.values.size() < kFewestSamples) continue;
      if (const auto window = window_of(*signal, there, values)) found.push_back(*window);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const CounterWindow& a, const CounterWindow& b) {
    return a.strength > b.strength;
  });
  return found;
}

}  // namespace tactus
