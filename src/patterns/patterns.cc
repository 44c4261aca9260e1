#include "patterns/patterns.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <tuple>

#include "base/arithmetic.h"
#include "counters/counter_samples.h"
#include "names/short_name.h"
#include "patterns/counters_of_type.h"
#include "patterns/function_slices.h"
#include "run/identity.h"

namespace tactus {
namespace {

constexpr std::string_view kNoMetric = "N/A";

/// What all rows of a function share.
struct FunctionFacts {
  std::string name;
  std::string simple_name;
  std::string device;
  std::int64_t pid = -1;
  std::vector<const SampleSeries*> counters;
};

/// What one counter said while one function ran in one cycle.
struct MetricRow {
  const SampleSeries* counter = nullptr;  ///< null for "N/A"
  double mu_pct = 0;
  double sigma_pct = 0;
};

/// One function in one cycle.
struct FunctionInCycle {
  std::uint32_t cycle = 0;
  std::uint32_t function = 0;
  std::int64_t duration_ns = 0;
  std::int64_t instances = 0;
  double beta_pct = 0;
  std::string_view interpolated;
  std::vector<MetricRow> metrics;
};

/// Counters of a host without a name may be those of the host that a process names.
bool is_other_host(const Run& run, HostId of_counter, HostId of_process) {
  const auto is_named = [&](HostId host) {
    return host.value < run.hosts.size() && run.hosts[host.value].name.value != 0;
  };
  return of_counter != of_process && (is_named(of_counter) || !is_named(of_process));
}

/// The series of a counter for a function: that of its process and GPU, else the one without a
/// process and GPU.
const SampleSeries* counter_for(const Run& run, const std::vector<SampleSeries>& samples,
                                std::string_view name, const CycleFunction& function,
                                const Process& process) {
  const SampleSeries* best = nullptr;
  int best_fit = -1;
  for (const SampleSeries& series : samples) {
    if (series.fact->name != name) continue;
    const bool is_other_pid = series.pid && series.pid != process.os_pid;
    const bool is_other_device = series.device.valid() && series.device != function.device;
    const int fit = (series.pid ? 2 : 0) + (series.device.valid() ? 1 : 0);
    if (is_other_host(run, series.host, process.host) || is_other_pid || is_other_device ||
        fit <= best_fit) {
      continue;
    }
    best = &series;
    best_fit = fit;
  }
  return best;
}

std::string place_name(const Run& run, const CycleFunction& function) {
  if (!is_device_work(function.type)) return "Host";
  return device_label(run, function.device);
}

FunctionFacts facts_of(const Run& run, const CycleFunction& function,
                       const std::vector<SampleSeries>& samples) {
  FunctionFacts facts;
  facts.name =
      function.name.valid() ? run.strings[function.name] : function_type_name(FunctionType::kOnCpu);
  const bool is_kernel =
      function.type == FunctionType::kGpuCompute || function.type == FunctionType::kGpuComm;
  facts.simple_name =
      is_kernel ? short_kernel_name(facts.name, decode_kernel_name(facts.name)) : facts.name;
  facts.device = place_name(run, function);
  facts.pid = pid_of(run, function.process);
  for (const std::string_view counter : counters_of(function.type)) {
    const SampleSeries* series =
        counter_for(run, samples, counter, function, run.processes[function.process]);
    if (series != nullptr) facts.counters.push_back(series);
  }
  return facts;
}

/// Two threads that run at the same time are one interval for a counter. Slices that only touch
/// stay separate.
std::vector<FunctionSlice> joined(std::span<const FunctionSlice> slices) {
  std::vector<FunctionSlice> out;
  for (const FunctionSlice& slice : slices) {
    if (out.empty() || slice.start_ns >= out.back().end_ns()) {
      out.push_back(slice);
    } else {
      out.back().dur_ns = std::max(out.back().end_ns(), slice.end_ns()) - out.back().start_ns;
    }
  }
  return out;
}

struct Weighted {
  MetricRow row;
  bool some_real = false;
  bool some_interpolated = false;
};

/// mu and sigma of a counter over slices in the order of their starts.
Weighted weigh(const SampleSeries& series, std::span<const FunctionSlice> slices) {
  double time = 0;
  double means = 0;
  double squares = 0;
  Weighted out;
  std::size_t next = series.first_at(slices.front().start_ns);
  for (const FunctionSlice& slice : slices) {
    while (next < series.times_ns.size() && series.times_ns[next] < slice.start_ns) ++next;
    const CounterReading reading = read_counter(series, slice.start_ns, slice.end_ns(), next);
    const auto weight = static_cast<double>(slice.dur_ns);
    time += weight;
    means += weight * reading.mean;
    squares += weight * reading.spread * reading.spread;
    (reading.is_real ? out.some_real : out.some_interpolated) = true;
  }
  const double pct = mu_pct_per_unit(series.fact->name);
  out.row = {.counter = &series,
             .mu_pct = pct * (means / time),
             .sigma_pct = pct * std::sqrt(squares / time)};
  return out;
}

void add_metrics(const Cycle& cycle, const FunctionFacts& facts,
                 std::span<const FunctionSlice> slices, FunctionInCycle& into) {
  bool some_real = false;
  bool some_interpolated = false;
  const std::int64_t end_ns = wrapping_add(cycle.start_ns, cycle.dur_ns);
  for (const SampleSeries* series : facts.counters) {
    if (!covers(*series, cycle.start_ns, end_ns)) continue;
    const Weighted weighted = weigh(*series, slices);
    into.metrics.push_back(weighted.row);
    some_real |= weighted.some_real;
    some_interpolated |= weighted.some_interpolated;
  }
  if (into.metrics.empty()) into.metrics.emplace_back();
  into.interpolated = !some_interpolated ? " " : some_real ? "*" : "**";
}

std::vector<FunctionInCycle> functions_in_cycles(const Cycles& cycles, const FunctionSlices& found,
                                                 const std::vector<FunctionFacts>& facts) {
  std::vector<FunctionInCycle> out;
  const std::span<const FunctionSlice> all = found.slices;
  for (std::size_t first = 0; first < all.size();) {
    const FunctionSlice& head = all[first];
    FunctionInCycle entry{.cycle = head.cycle, .function = head.function};
    std::size_t past = first;
    while (past < all.size() && all[past].cycle == head.cycle &&
           all[past].function == head.function) {
      entry.duration_ns = wrapping_add(entry.duration_ns, all[past].dur_ns);
      ++past;
    }
    const std::span<const FunctionSlice> slices = all.subspan(first, past - first);
    first = past;
    const Cycle& cycle = cycles.cycles[entry.cycle];
    if (cycle.dur_ns <= 0) continue;  // a share of it is not defined
    entry.instances = static_cast<std::int64_t>(slices.size());
    entry.beta_pct =
        100 * static_cast<double>(entry.duration_ns) / static_cast<double>(cycle.dur_ns);
    if (found.functions[entry.function].type == FunctionType::kOnCpu) {
      add_metrics(cycle, facts[entry.function], joined(slices), entry);
    } else {
      add_metrics(cycle, facts[entry.function], slices, entry);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

/// Numbers from 1 in each process, in the order of time.
std::vector<std::int64_t> cycle_numbers(const Cycles& cycles) {
  std::vector<std::int64_t> numbers;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < cycles.cycles.size(); ++i) {
    const bool is_first = i == 0 || cycles.cycles[i].process != cycles.cycles[i - 1].process;
    number = is_first ? 1 : number + 1;
    numbers.push_back(number);
  }
  return numbers;
}

/// Writes rows in the order and with the texts of the format.
class PatternWriter {
 public:
  PatternWriter(const Run& run, const Cycles& cycles, const FunctionSlices& found,
                const std::vector<FunctionFacts>& facts, StringPool& strings)
      : run_(run),
        cycles_(cycles),
        found_(found),
        facts_(facts),
        strings_(strings),
        numbers_(cycle_numbers(cycles)) {}

  Patterns write(const std::vector<FunctionInCycle>& entries) {
    std::vector<Line> lines;
    for (const FunctionInCycle& entry : entries) {
      for (const MetricRow& metric : entry.metrics) lines.push_back({&entry, &metric});
    }
    std::sort(lines.begin(), lines.end(),
              [&](const Line& a, const Line& b) { return order(a) < order(b); });
    Patterns patterns;
    for (const Line& line : lines) append(patterns, line);
    return patterns;
  }

 private:
  struct Line {
    const FunctionInCycle* entry;
    const MetricRow* metric;
  };

  std::string_view metric_name(const MetricRow& metric) const {
    return metric.counter != nullptr ? metric.counter->fact->name : kNoMetric;
  }

  std::tuple<std::int64_t, std::int64_t, double, std::string_view, std::string_view,
             std::string_view>
  order(const Line& line) const {
    const FunctionFacts& facts = facts_[line.entry->function];
    return {numbers_[line.entry->cycle], facts.pid,  -line.entry->beta_pct,
            metric_name(*line.metric),   facts.name, facts.device};
  }

  std::int64_t text(std::string_view text) { return strings_.intern(text).value; }
  /// Microseconds, to the nanosecond. Those since the epoch have too many digits for a mantissa.
  std::int64_t microseconds(std::int64_t ns) {
    if (ns <= Decimal::kLargestMantissa && ns >= -Decimal::kLargestMantissa) {
      return Decimal::pack(ns, 3);
    }
    std::string digits = std::to_string(ns);
    return Decimal::from_text(digits.insert(digits.size() - 3, "."), strings_);
  }

  void append(Patterns& patterns, const Line& line) {
    const FunctionInCycle& entry = *line.entry;
    const FunctionFacts& facts = facts_[entry.function];
    const CycleFunction& function = found_.functions[entry.function];
    const Cycle& cycle = cycles_.cycles[entry.cycle];
    const bool has_metric = line.metric->counter != nullptr;
    const auto number = [&](double value) { return Decimal::from_double(value, strings_); };
    const bool knows_process = function.process < run_.processes.size();
    const HostId on = knows_process ? run_.processes[function.process].host : HostId();
    const StringId host = on.value < run_.hosts.size() ? run_.hosts[on.value].name : StringId(0);
    patterns.append({
        numbers_[entry.cycle],
        facts.pid,
        text(run_.strings[host]),
        number(entry.beta_pct),
        text(facts.name),
        text(metric_name(*line.metric)),
        text(facts.device),
        text(function_type_name(function.type)),
        has_metric ? number(line.metric->mu_pct) : Decimal::unknown(),
        has_metric ? number(line.metric->sigma_pct) : Decimal::unknown(),
        microseconds(entry.duration_ns),
        text(entry.interpolated),
        text(cycles_.anchor),
        microseconds(cycle.dur_ns),
        microseconds(wrapping_add(run_.origin_ns, cycle.start_ns)),
        entry.instances,
        text(facts.simple_name),
    });
  }

  const Run& run_;
  const Cycles& cycles_;
  const FunctionSlices& found_;
  const std::vector<FunctionFacts>& facts_;
  StringPool& strings_;
  std::vector<std::int64_t> numbers_;  ///< by cycle
};

}  // namespace

std::int64_t pid_of(const Run& run, std::uint32_t process) {
  if (process >= run.processes.size()) return -1;
  return run.processes[process].number;
}

Patterns make_patterns(const Run& run, const Cycles& cycles, StringPool& strings) {
  const FunctionSlices found = function_slices(run, cycles);
  const std::vector<SampleSeries> samples = counter_samples(run);
  std::vector<FunctionFacts> facts;
  for (const CycleFunction& function : found.functions) {
    facts.push_back(facts_of(run, function, samples));
  }
  PatternWriter writer(run, cycles, found, facts, strings);
  return writer.write(functions_in_cycles(cycles, found, facts));
}

Run run_of_patterns(const Run& run, const Cycles& cycles) {
  Run made;
  made.origin_ns = run.origin_ns;
  for (const Source& source : run.sources) {
    made.sources.push_back({.path = made.strings.intern(run.strings[source.path]),
                            .kind = "perf_data",
                            .bytes = source.bytes,
                            .base_ns = source.base_ns,
                            .rank = source.rank});
  }
  made.patterns = make_patterns(run, cycles, made.strings);
  return made;
}

}  // namespace tactus
