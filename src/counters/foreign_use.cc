#include "counters/foreign_use.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tactus {
namespace {

struct Use {
  std::string_view all;
  std::string_view own;
  std::string_view foreign;
};
constexpr std::array kUses = {
    Use{"gpu_usage", "process_gpu_usage", "gpu_foreign_usage"},
    Use{"gpu_mem_used", "process_gpu_mem_usage", "gpu_mem_foreign"},
};

const SampleSeries* find(const std::vector<SampleSeries>& recorded, std::string_view name,
                         const SampleSeries& beside) {
  const SampleSeries* found = nullptr;
  for (const SampleSeries& series : recorded) {
    if (series.fact->name != name || series.host != beside.host || series.device != beside.device) {
      continue;
    }
    // The sum over all recorded processes, where there is one.
    if (found == nullptr || !series.pid) found = &series;
  }
  return found;
}

/// Samples of `all` that have one of `own` no further away than the usual distance of those.
SampleSeries difference_of(const SampleSeries& all, const SampleSeries& own,
                           const CounterFact* fact) {
  SampleSeries left{.fact = fact,
                    .host = all.host,
                    .device = all.device,
                    .interval_ns = std::max(all.interval_ns, own.interval_ns),
                    .place = all.place};
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    const std::int64_t time = all.times_ns[i];
    std::size_t nearest = own.first_at(time);
    if (nearest == own.times_ns.size() ||
        (nearest > 0 && own.times_ns[nearest] - time > time - own.times_ns[nearest - 1])) {
      if (nearest == 0) continue;
      --nearest;
    }
    if (std::abs(own.times_ns[nearest] - time) > left.interval_ns) continue;
    left.times_ns.push_back(time);
    left.values.push_back(std::max(0.0, all.values[i] - own.values[nearest]));
  }
  return left;
}

}  // namespace

std::vector<SampleSeries> foreign_use(const std::vector<SampleSeries>& recorded) {
  std::vector<SampleSeries> found;
  for (const Use& use : kUses) {
    for (const SampleSeries& all : recorded) {
      if (all.fact->name != use.all || all.pid || find(recorded, use.foreign, all)) continue;
      const SampleSeries* own = find(recorded, use.own, all);
      if (own == nullptr) continue;
      SampleSeries left = difference_of(all, *own, find_counter(use.foreign));
      if (!left.values.empty()) found.push_back(std::move(left));
    }
  }
  return found;
}

}  // namespace tactus
