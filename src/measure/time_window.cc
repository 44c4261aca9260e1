#include "measure/time_window.h"

namespace tactus {
namespace {

/// The values of the kept steps; empty columns stay empty.
template <class T>
void keep(const std::vector<std::size_t>& kept, std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<T> few;
  few.reserve(kept.size());
  for (const std::size_t step : kept) few.push_back(values[step]);
  values = std::move(few);
}

class WindowMeasurement final : public Measurement {
 public:
  WindowMeasurement(TimeWindow window, const Measurement& of) : of_(of) {
    kind_of_cycle = of.kind_of_cycle;
    cycles_joined = of.cycles_joined;
    origin_ns = of.origin_ns;
    is_trace = of.is_trace;
    has_host = of.has_host;
    for (RankMeasure rank : of.ranks) {
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < rank.steps.size(); ++i) {
        if (window.contains(rank.steps[i].start_ns)) kept.push_back(i);
      }
      keep(kept, rank.steps);
      for (std::vector<double>& part : rank.parts) keep(kept, part);
      for (EffortColumns& effort : rank.efforts) {
        keep(kept, effort.count);
        keep(kept, effort.ns);
        keep(kept, effort.bytes);
      }
      // What lies between steps is known of the whole recording only.
      rank.cut_off = {};
      rank.pause_ns = {};
      ranks.push_back(std::move(rank));
      kept_.push_back(std::move(kept));
    }
  }

  FunctionCosts functions(std::size_t rank) const override {
    constexpr std::uint32_t kLeftOut = UINT32_MAX;
    FunctionCosts found = of_.functions(rank);
    std::vector<std::uint32_t> number(of_.ranks[rank].steps.size(), kLeftOut);
    for (std::size_t i = 0; i < kept_[rank].size(); ++i) {
      number[kept_[rank][i]] = static_cast<std::uint32_t>(i);
    }
    std::erase_if(found.costs,
                  [&](const FunctionCost& cost) { return number[cost.step] == kLeftOut; });
    for (FunctionCost& cost : found.costs) cost.step = number[cost.step];
    return found;
  }

 private:
  const Measurement& of_;
  std::vector<std::vector<std::size_t>> kept_;  ///< steps by rank
};

}  // namespace

std::unique_ptr<Measurement> steps_in(TimeWindow window, const Measurement& of) {
  return std::make_unique<WindowMeasurement>(window, of);
}

CounterValues samples_in(TimeWindow window, const CounterValues& of) {
  CounterValues found = of;
  found.values.clear();
  found.times_ns.clear();
  // A sample is about the time before it, too.
  if (window.begin_ns != INT64_MIN) {
    window.begin_ns += static_cast<std::int64_t>(of.seconds_per_sample * 1e9);
  }
  for (std::size_t i = 0; i < of.times_ns.size(); ++i) {
    if (!window.contains(of.times_ns[i])) continue;
    found.values.push_back(of.values[i]);
    found.times_ns.push_back(of.times_ns[i]);
  }
  return found;
}

}  // namespace tactus
