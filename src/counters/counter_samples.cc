#include "counters/counter_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/arithmetic.h"
#include "run/identity.h"
#include "stats/summary.h"

namespace tactus {
namespace {

struct Sample {
  std::int64_t time_ns = 0;
  double value = 0;
};
using Samples = std::vector<Sample>;

/// Sorts by time; several samples at one time become their mean.
void put_in_order(Samples& samples) {
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size();) {
    const std::int64_t time_ns = samples[i].time_ns;
    double sum = 0;
    double count = 0;
    for (; i < samples.size() && samples[i].time_ns == time_ns; ++i) {
      sum += samples[i].value;
      count += 1;
    }
    samples[kept++] = {time_ns, sum / count};
  }
  samples.resize(kept);
}

/// Growth per second, at the middle between two samples. A total that falls was reset.
Samples rates_of(const Samples& totals) {
  Samples rates;
  for (std::size_t i = 1; i < totals.size(); ++i) {
    const std::int64_t passed_ns = wrapping_subtract(totals[i].time_ns, totals[i - 1].time_ns);
    const double growth = totals[i].value - totals[i - 1].value;
    if (passed_ns <= 0 || growth < 0) continue;
    rates.push_back(
        {totals[i - 1].time_ns + passed_ns / 2, growth * 1e9 / static_cast<double>(passed_ns)});
  }
  return rates;
}

/// Several series as one: at each time with a sample of one of them, the sum or the mean of the
/// last value of each (before its first sample, of its first value).
Samples together(std::vector<Samples>& parts, bool add_up) {
  if (parts.size() == 1) return std::move(parts.front());
  struct Step {
    std::int64_t time_ns;
    std::size_t part;
    double value;
  };
  std::vector<Step> steps;
  std::vector<double> last;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const Sample& sample : parts[part]) steps.push_back({sample.time_ns, part, sample.value});
    last.push_back(parts[part].front().value);
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.time_ns < b.time_ns; });
  Samples merged;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    last[steps[i].part] = steps[i].value;
    if (i + 1 < steps.size() && steps[i + 1].time_ns == steps[i].time_ns) continue;
    const double sum = std::accumulate(last.begin(), last.end(), 0.0);
    merged.push_back({steps[i].time_ns, add_up ? sum : sum / static_cast<double>(parts.size())});
  }
  return merged;
}

std::int64_t usual_interval(const std::vector<std::int64_t>& times_ns) {
  std::vector<std::int64_t> intervals;
  for (std::size_t i = 1; i < times_ns.size(); ++i) {
    intervals.push_back(wrapping_subtract(times_ns[i], times_ns[i - 1]));
  }
  return intervals.empty() ? 0 : upper_median(std::move(intervals));
}

/// The samples of each known series of the run, scaled.
std::vector<Samples> samples_by_series(const Run& run,
                                       const std::vector<std::optional<CounterMatch>>& matches) {
  std::vector<Samples> samples(run.series.size());
  for (std::size_t row = 0; row < run.counters.rows; ++row) {
    const auto series = static_cast<std::size_t>(run.counters.series()[row]);
    if (series >= matches.size() || !matches[series]) continue;
    const double value = Decimal::to_double(run.counters.value()[row], run.strings);
    if (!std::isfinite(value)) continue;
    samples[series].push_back({run.counters.time()[row], value * matches[series]->scale});
  }
  return samples;
}

/// One group: one counter of one host, device and process.
struct Place {
  std::string_view counter;
  HostId host;
  std::int64_t device_number = -1;  ///< for the order
  DeviceId device;
  std::optional<std::int64_t> pid;

  auto operator<=>(const Place&) const = default;
};

Place place_of(const Run& run, const CounterSeries& series, const CounterMatch& match) {
  const std::string_view name = match.fact->name;
  std::optional<std::int64_t> pid = match.pid;
  if (!pid && name.starts_with("process_") && series.process.value < run.processes.size()) {
    pid = run.processes[series.process.value].os_pid;
  }
  const bool is_of_gpu = name.find("gpu_") != std::string_view::npos || name.starts_with("pcie_");
  Place place{.counter = name, .host = series.host, .pid = pid};
  if (is_of_gpu && series.device.value < run.devices.size()) {
    place.device = series.device;
    place.device_number = run.devices[series.device.value].number;
  }
  return place;
}

/// Interpolated between neighbours; `next` is the first sample at or after the time.
double value_at(const SampleSeries& series, std::int64_t time_ns, std::size_t next) {
  if (next == 0) return series.values.front();
  if (next == series.values.size()) return series.values.back();
  const auto before = static_cast<double>(time_ns - series.times_ns[next - 1]);
  const auto apart = static_cast<double>(series.times_ns[next] - series.times_ns[next - 1]);
  const double low = series.values[next - 1];
  return low + (series.values[next] - low) * (before / apart);
}

}  // namespace

std::size_t SampleSeries::first_at(std::int64_t time_ns) const {
  return static_cast<std::size_t>(std::lower_bound(times_ns.begin(), times_ns.end(), time_ns) -
                                  times_ns.begin());
}

std::vector<SampleSeries> counter_samples(const Run& run) {
  std::vector<std::optional<CounterMatch>> matches;
  for (const CounterSeries& series : run.series) {
    matches.push_back(match_counter(run.strings[series.name], run.strings[series.unit]));
  }
  std::vector<Samples> samples = samples_by_series(run, matches);
  // Cores, disks and network cards that one source saw add up. Two sources that saw the same place
  // saw the same thing.
  std::map<Place, std::map<SourceId, std::vector<Samples>>> places;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].empty()) continue;
    put_in_order(samples[i]);
    if (matches[i]->is_total) samples[i] = rates_of(samples[i]);
    if (samples[i].empty()) continue;
    places[place_of(run, run.series[i], *matches[i])][run.series[i].source].push_back(
        std::move(samples[i]));
  }
  std::vector<SampleSeries> found;
  for (auto& [place, sources] : places) {
    SampleSeries series;
    series.fact = find_counter(place.counter);
    series.host = place.host;
    series.device = place.device;
    series.pid = place.pid;
    series.place =
        place.device.valid() ? device_label(run, place.device) : host_label(run, place.host);
    std::vector<Samples> views;
    for (auto& [source, parts] : sources) {
      views.push_back(together(parts, series.fact->kind == CounterKind::kRate));
    }
    for (const Sample& sample : together(views, false)) {
      series.times_ns.push_back(sample.time_ns);
      series.values.push_back(sample.value);
    }
    series.interval_ns = usual_interval(series.times_ns);
    found.push_back(std::move(series));
  }
  return found;
}

bool covers(const SampleSeries& series, std::int64_t begin_ns, std::int64_t end_ns) {
  if (series.times_ns.empty()) return false;
  return series.times_ns.front() <= wrapping_add(end_ns, series.interval_ns) &&
         series.times_ns.back() >= wrapping_subtract(begin_ns, series.interval_ns);
}

CounterReading read_counter(const SampleSeries& series, std::int64_t begin_ns, std::int64_t end_ns,
                            std::size_t next) {
  constexpr std::size_t kEnough = 3;
  std::size_t past = next;
  while (past < series.times_ns.size() && series.times_ns[past] <= end_ns) ++past;
  if (past - next >= kEnough) {
    const auto count = static_cast<double>(past - next);
    double sum = 0;
    for (std::size_t i = next; i < past; ++i) sum += series.values[i];
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t i = next; i < past; ++i) {
      squares += (series.values[i] - mean) * (series.values[i] - mean);
    }
    return {.mean = mean, .spread = std::sqrt(squares / count), .is_real = true};
  }
  const double from = value_at(series, begin_ns, next);
  // A sample at `end_ns` itself is the last one that was counted.
  const bool on_sample = past > next && series.times_ns[past - 1] == end_ns;
  const double to = on_sample ? series.values[past - 1] : value_at(series, end_ns, past);
  return {.mean = (from + to) / 2, .spread = std::abs(to - from) / 2, .is_real = false};
}

}  // namespace tactus
