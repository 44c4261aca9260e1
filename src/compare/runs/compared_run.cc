#include "compare/runs/compared_run.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/arithmetic.h"
#include "compare/counters/counter_levels.h"
#include "compare/counters/counter_samples.h"
#include "compare/patterns/patterns.h"
#include "compare/runs/compared_run_shapes.h"
#include "run/pattern_columns.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// Reads patterns row by row into processes, functions and counters.
class PatternReader {
 public:
  PatternReader(const Patterns& patterns, const StringPool& strings)
      : patterns_(patterns), strings_(strings) {}

  void read(ComparedRun& side) {
    for (std::size_t row = 0; row < patterns_.rows; ++row) {
      ProcessCost& process = process_of(row, side);
      const std::size_t cycle = cycle_of(row, process);
      add_function(row, cycle, process);
      add_counter(row);
    }
    for (ProcessCost& process : side.processes) finish(process);
    // In the order of their names.
    std::map<std::pair<std::string_view, std::string_view>, const Levels*> by_name;
    for (const auto& [key, levels] : counters_) {
      by_name[{string(key.first), string(key.second)}] = &levels;
    }
    for (const auto& [name, levels] : by_name) {
      CounterValues out{.counter = std::string(name.first),
                        .device = std::string(name.second),
                        .values = {},
                        .coverage = {}};
      for (const auto& [cycle, level] : *levels) {
        if (level.weight > 0) out.values.push_back(level.sum / level.weight);
      }
      if (!out.values.empty()) side.counters.push_back(std::move(out));
    }
  }

 private:
  struct Level {
    double weight = 0;
    double sum = 0;
  };
  using Levels = std::map<std::int64_t, Level>;  ///< by cycle

  std::int64_t whole(std::size_t row, Patterns::ColumnIndex column) const {
    return patterns_.column(column)[row];
  }
  std::string_view text(std::size_t row, Patterns::ColumnIndex column) const {
    return string(whole(row, column));
  }
  std::string_view string(std::int64_t id) const {
    return strings_[StringId(static_cast<std::uint64_t>(id))];
  }
  double number(std::size_t row, Patterns::ColumnIndex column) const {
    return Decimal::to_double(whole(row, column), strings_);
  }

  ProcessCost& process_of(std::size_t row, ComparedRun& side) {
    const std::int64_t pid = whole(row, Patterns::kPid);
    const auto [at, is_new] = process_of_pid_.try_emplace(pid, side.processes.size());
    if (is_new) {
      side.processes.emplace_back();
      side.processes.back().pid = pid;
      side.processes.back().host = text(row, Patterns::kHost);
      side.processes.back().anchor = text(row, Patterns::kAnchor);
      process_ = at->second;
    }
    process_ = at->second;
    return side.processes[at->second];
  }

  std::size_t cycle_of(std::size_t row, ProcessCost& process) {
    const std::int64_t number_of_cycle = whole(row, Patterns::kCycle);
    const auto [at, is_new] =
        cycle_of_number_.try_emplace({process_, number_of_cycle}, process.cycles.size());
    if (is_new) {
      CycleCost cycle;
      cycle.number = number_of_cycle;
      cycle.ns = number(row, Patterns::kAnchorDurUs) * 1000;
      process.cycles.push_back(cycle);
    }
    return at->second;
  }

  void add_function(std::size_t row, std::size_t cycle, ProcessCost& process) {
    const auto key =
        std::tuple(process_, whole(row, Patterns::kFunction), whole(row, Patterns::kDevice));
    const auto [at, is_new] = functions_.try_emplace(key, process.functions.size());
    if (is_new) {
      FunctionCost function;
      function.name = text(row, Patterns::kFunction);
      function.type = text(row, Patterns::kFuncType);
      function.device = text(row, Patterns::kDevice);
      // Files may lack the type; an unknown function on a GPU counts as a kernel.
      if (function.type.empty() && function.device.starts_with("GPU"))
        function.type = "gpu_compute";
      process.functions.push_back(std::move(function));
    }
    FunctionCost& function = process.functions[at->second];
    if (function.ns.size() <= cycle) {
      function.ns.resize(cycle + 1, 0);
      function.count.resize(cycle + 1, 0);
    }
    // The same for each metric of the function, so it is set, not added.
    const double us = number(row, Patterns::kDurationUs);
    function.ns[cycle] = std::isfinite(us) ? us * 1000 : 0;
    const std::int64_t instances = whole(row, Patterns::kInstances);
    function.count[cycle] = instances == kUnknownInstances ? 1 : static_cast<double>(instances);
  }

  /// One value per counter, device and cycle: all functions of a cycle carry the same samples.
  void add_counter(std::size_t row) {
    const std::string_view metric = text(row, Patterns::kMetric);
    const double mu = number(row, Patterns::kMuPct);
    const double us = number(row, Patterns::kDurationUs);
    if (metric.empty() || metric == "N/A" || !std::isfinite(mu) || !std::isfinite(us)) return;
    Level& level = counters_[{whole(row, Patterns::kMetric), whole(row, Patterns::kDevice)}]
                            [whole(row, Patterns::kCycle)];
    level.weight += us;
    level.sum += us * mu;
  }

  static void finish(ProcessCost& process) {
    for (FunctionCost& function : process.functions) {
      function.ns.resize(process.cycles.size(), 0);
      function.count.resize(process.cycles.size(), 0);
      if (function.type != "gpu_compute" && function.type != "gpu_comm") continue;
      for (std::size_t i = 0; i < process.cycles.size(); ++i) {
        process.cycles[i].launches += function.count[i];
      }
    }
    for (CycleCost& cycle : process.cycles) {
      cycle.usable = cycle.launches > 0 && std::isfinite(cycle.ns) && cycle.ns > 0;
    }
  }

  const Patterns& patterns_;
  const StringPool& strings_;
  std::size_t process_ = 0;  ///< of the row being read
  std::map<std::int64_t, std::size_t> process_of_pid_;
  std::map<std::pair<std::size_t, std::int64_t>, std::size_t> cycle_of_number_;
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::size_t> functions_;
  std::map<std::pair<std::int64_t, std::int64_t>, Levels> counters_;  ///< by metric and device
};

bool is_host_type(std::string_view type) {
  return type == "oncpu" || type == "runq" || type.starts_with("cpu_");
}

void note_host(ComparedRun& side) {
  for (const ProcessCost& process : side.processes) {
    for (const FunctionCost& function : process.functions) {
      side.has_host = side.has_host || is_host_type(function.type);
    }
  }
}

/// The samples of each counter between the first and the last cycle.
void add_samples(const Run& run, const Cycles& cycles, ComparedRun& side) {
  side.counters.clear();
  if (cycles.cycles.empty()) return;
  std::int64_t begin = INT64_MAX;
  std::int64_t end = INT64_MIN;
  for (const Cycle& cycle : cycles.cycles) {
    begin = std::min(begin, cycle.start_ns);
    end = std::max(end, wrapping_add(cycle.start_ns, cycle.dur_ns));
  }
  for (const SampleSeries& series : counter_samples(run)) {
    CounterValues values;
    values.counter = series.fact->name;
    values.device = series.place;
    for (std::size_t i = series.first_at(begin);
         i < series.values.size() && series.times_ns[i] <= end; ++i) {
      values.values.push_back(series.values[i]);
    }
    values.coverage = counter_levels(series, cycles).coverage();
    if (!values.values.empty()) side.counters.push_back(std::move(values));
  }
}

/// What the run itself sent over PCIe: its copies between host and device.
void add_own_copies(const Run& run, const Cycles& cycles, ComparedRun& side) {
  double seconds = 0;
  for (const Cycle& cycle : cycles.cycles) seconds += static_cast<double>(cycle.dur_ns) * 1e-9;
  double bytes[2] = {0, 0};  // to the device, from it
  bool any = false;
  run.for_each_int_arg(run.slices, "bytes", [&](std::size_t row, std::int64_t count) {
    if (row >= cycles.cycle_of_slice.size() || cycles.cycle_of_slice[row] < 0) return;
    if (run.kind_of(run.slices.category()[row]) != SliceKind::kMemcpy) return;
    const StringId id(static_cast<std::uint64_t>(run.slices.name()[row]));
    const std::string_view name = run.strings[id];
    any = true;
    if (name.find("HtoD") != std::string_view::npos) bytes[0] += static_cast<double>(count);
    if (name.find("DtoH") != std::string_view::npos) bytes[1] += static_cast<double>(count);
  });
  for (std::size_t i = 0; any && seconds > 0 && i < 2; ++i)
    side.own_copy_rate[i] = bytes[i] / seconds;
}

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return median(values);
}

/// Facts that only the cycles of a trace have. Patterns number them from 1 in each process.
void add_cycle_facts(const Run& run, const Cycles& cycles, ComparedRun& side) {
  std::map<std::int64_t, std::vector<const Cycle*>> of_pid;
  for (const Cycle& cycle : cycles.cycles) of_pid[pid_of(run, cycle.process)].push_back(&cycle);
  for (ProcessCost& process : side.processes) {
    const std::vector<const Cycle*>& own = of_pid[process.pid];
    for (CycleCost& cost : process.cycles) {
      const auto index = static_cast<std::size_t>(cost.number - 1);
      if (index >= own.size()) continue;
      cost.phase = own[index]->phase;
      cost.usable = cost.usable && own[index]->complete;
      cost.busy_ns = static_cast<double>(own[index]->gpu_busy_ns);
    }
  }
  std::vector<double> batches;
  std::vector<double> contexts;
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.batch && cycle.phase != Phase::kPrefill) {
      batches.push_back(static_cast<double>(*cycle.batch));
    }
    if (cycle.context_tokens && *cycle.context_tokens > 0) {
      contexts.push_back(static_cast<double>(*cycle.context_tokens));
    }
  }
  side.batch = median_of(batches);
  side.context_tokens = median_of(contexts);
}

}  // namespace

ComparedRun compared_patterns(const Run& run) {
  ComparedRun side;
  PatternReader(run.patterns, run.strings).read(side);
  note_host(side);
  return side;
}

ComparedRun compared_trace(const Run& run, const Cycles& cycles, const Run& patterns) {
  ComparedRun side = compared_patterns(patterns);
  side.is_trace = true;
  side.kind_of_cycle = cycles.comparable_key;
  side.cycles_joined = cycles.joined;
  add_cycle_facts(run, cycles, side);
  add_samples(run, cycles, side);
  add_shapes(run, cycles, side);
  add_own_copies(run, cycles, side);
  return side;
}

void add_side(ComparedRun more, ComparedRun& into) {
  for (ProcessCost& process : more.processes) into.processes.push_back(std::move(process));
  for (CounterValues& levels : more.counters) {
    const auto same =
        std::find_if(into.counters.begin(), into.counters.end(), [&](const CounterValues& known) {
          return known.counter == levels.counter && known.device == levels.device;
        });
    if (same == into.counters.end()) {
      into.counters.push_back(std::move(levels));
    } else {
      same->values.insert(same->values.end(), levels.values.begin(), levels.values.end());
    }
  }
  into.has_host = into.has_host || more.has_host;
}

bool is_gpu_type(std::string_view type) {
  return type.starts_with("gpu_");
}

double median_launches(const ComparedRun& side) {
  std::vector<double> launches;
  for (const ProcessCost& process : side.processes) {
    for (const CycleCost& cycle : process.cycles) {
      if (cycle.usable) launches.push_back(cycle.launches);
    }
  }
  return launches.empty() ? 0 : median(launches);
}

Frequencies kernels_per_cycle(const ComparedRun& side, std::optional<Phase> phase) {
  Frequencies kernels;
  double cycles = 0;
  for (const ProcessCost& process : side.processes) {
    for (const CycleCost& cycle : process.cycles) {
      cycles += cycle.usable && (!phase || cycle.phase == *phase) ? 1 : 0;
    }
    for (const FunctionCost& function : process.functions) {
      if (function.type != "gpu_compute" && function.type != "gpu_comm") continue;
      for (std::size_t i = 0; i < process.cycles.size(); ++i) {
        const CycleCost& cycle = process.cycles[i];
        if (!cycle.usable || (phase && cycle.phase != *phase)) continue;
        kernels[function.name] += function.count[i];
      }
    }
  }
  for (auto& [name, count] : kernels) count /= cycles > 0 ? cycles : 1;
  return kernels;
}

double jaccard(const Frequencies& a, const Frequencies& b) {
  double shared = 0;
  double all = 0;
  const auto in = [](const Frequencies& list, const std::string& name) {
    const auto at = list.find(name);
    return at == list.end() ? 0.0 : at->second;
  };
  for (const auto& [name, count] : a) {
    const double other = in(b, name);
    shared += std::min(count, other);
    all += std::max(count, other);
  }
  for (const auto& [name, count] : b) {
    if (!a.contains(name)) all += count;
  }
  return all > 0 ? shared / all : 1;
}

}  // namespace tactus
