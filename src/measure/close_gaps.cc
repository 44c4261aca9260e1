#include "measure/close_gaps.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/arithmetic.h"
#include "names/function_type.h"
#include "run/event_view.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// This many usual cycles without work are a pause, which is not part of a cycle.
constexpr double kPauseCycles = 5;

/// The last of rising times that is not after `time_ns`.
std::optional<std::size_t> place_of(const std::vector<std::int64_t>& times, std::int64_t time_ns) {
  const auto after = std::upper_bound(times.begin(), times.end(), time_ns);
  if (after == times.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - times.begin()) - 1;
}

/// When the host begins with each cycle: it runs ahead of the device.
std::vector<std::int64_t> host_starts(const Run& run, const Cycles& cycles) {
  std::vector<std::int64_t> starts(cycles.cycles.size(), INT64_MAX);
  for_each_event(run, run.slices, [&](const EventView& event) {
    if (event.row >= cycles.cycle_of_slice.size() || cycles.cycle_of_slice[event.row] < 0) return;
    if (is_device_work(run.kind_of(event.category))) return;
    std::int64_t& start = starts[static_cast<std::size_t>(cycles.cycle_of_slice[event.row])];
    start = std::min(start, event.start_ns);
  });
  // A cycle without host slices begins with the one after it, so that times rise.
  for (std::size_t i = starts.size(); i-- > 1;) starts[i - 1] = std::min(starts[i - 1], starts[i]);
  return starts;
}

}  // namespace

void close_gaps(const Run& run, Cycles& cycles) {
  if (cycles.cycles.empty()) return;
  std::vector<std::int64_t> device_starts;
  std::vector<std::int64_t> ends;
  std::vector<double> lengths;
  for (const Cycle& cycle : cycles.cycles) {
    device_starts.push_back(cycle.start_ns);
    ends.push_back(wrapping_add(cycle.start_ns, cycle.dur_ns));
    lengths.push_back(static_cast<double>(cycle.dur_ns));
  }
  const std::vector<std::int64_t> on_host = host_starts(run, cycles);
  const std::size_t last = cycles.cycles.size() - 1;
  for_each_event(run, run.slices, [&](const EventView& event) {
    if (event.row >= cycles.cycle_of_slice.size() || cycles.cycle_of_slice[event.row] >= 0) return;
    const SliceKind kind = run.kind_of(event.category);
    const bool on_device = is_device_work(kind);
    const auto place = place_of(on_device ? device_starts : on_host, event.start_ns);
    if (!place || *place == last) return;
    cycles.cycle_of_slice[event.row] = static_cast<std::int32_t>(*place);
    if (!on_device) return;
    Cycle& cycle = cycles.cycles[*place];
    cycle.launches += kind == SliceKind::kKernel ? 1 : 0;
    cycle.gpu_busy_ns = wrapping_add(cycle.gpu_busy_ns, event.dur_ns);
    ends[*place] = std::max(ends[*place], wrapping_add(event.start_ns, event.dur_ns));
  });
  const double pause_ns = kPauseCycles * median(lengths);
  for (std::size_t i = 0; i < last; ++i) {
    const std::int64_t next_ns = device_starts[i + 1];
    const bool is_pause = static_cast<double>(wrapping_subtract(next_ns, ends[i])) > pause_ns;
    const std::int64_t end_ns = is_pause ? ends[i] : next_ns;
    cycles.cycles[i].dur_ns = wrapping_subtract(end_ns, device_starts[i]);
  }
  cycles.cycles[last].complete = false;
}

}  // namespace tactus
