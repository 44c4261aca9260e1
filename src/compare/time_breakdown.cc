#include "compare/time_breakdown.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "names/kernel_name.h"
#include "stats/tests.h"

namespace tactus {
namespace {

using Series = std::vector<double>;  // one value a usable cycle
using ByName = std::map<std::string, Series>;

bool is_collective(const FunctionCost& function) {
  return function.type == "gpu_comm" ||
         (function.type == "gpu_compute" &&
          decode_kernel_name(function.name).family == Family::kCollective);
}

/// Values per unit of work, cycle by cycle, of everything that a side spends time on.
class Spending {
 public:
  Spending(const ComparedRun& side, bool per_launch, double launches) {
    for (const ProcessCost& process : side.processes) {
      std::vector<bool>& collective = collective_.emplace_back();
      for (const FunctionCost& function : process.functions) {
        collective.push_back(is_collective(function));
      }
      add_process(process, collective, per_launch, launches);
    }
    add_collectives(side, per_launch, launches);
  }

  const ByName& functions() const { return functions_; }
  const ByName& classes() const { return classes_; }
  const Series& idle() const { return idle_; }
  const Series& cycles() const { return cycles_; }

 private:
  static double scale(const CycleCost& cycle, bool per_launch, double launches) {
    return per_launch ? launches / cycle.launches : 1;
  }

  void add_process(const ProcessCost& process, const std::vector<bool>& collective, bool per_launch,
                   double launches) {
    for (std::size_t i = 0; i < process.cycles.size(); ++i) {
      const CycleCost& cycle = process.cycles[i];
      if (!cycle.usable) continue;
      const double factor = scale(cycle, per_launch, launches);
      std::map<std::string, double> classes;
      double busy = 0;
      for (std::size_t f = 0; f < process.functions.size(); ++f) {
        const FunctionCost& function = process.functions[f];
        if (is_gpu_type(function.type)) busy += function.ns[i];
        if (collective[f]) continue;
        classes[function.type] += function.ns[i] * factor;
        functions_[function.name].push_back(function.ns[i] * factor);
      }
      for (const auto& [type, ns] : classes) classes_[type].push_back(ns);
      idle_.push_back(std::max(0.0, cycle.ns - cycle.busy_ns.value_or(busy)) * factor);
      cycles_.push_back(cycle.ns * factor);
    }
  }

  /// The k-th usable cycle of all processes is one step of the job.
  void add_collectives(const ComparedRun& side, bool per_launch, double launches) {
    std::vector<Series> by_process;
    for (std::size_t p = 0; p < side.processes.size(); ++p) {
      const ProcessCost& process = side.processes[p];
      Series series;
      bool any = false;
      for (std::size_t i = 0; i < process.cycles.size(); ++i) {
        if (!process.cycles[i].usable) continue;
        double ns = 0;
        for (std::size_t f = 0; f < process.functions.size(); ++f) {
          if (!collective_[p][f]) continue;
          ns += process.functions[f].ns[i];
          any = true;
        }
        series.push_back(ns * scale(process.cycles[i], per_launch, launches));
      }
      if (any) by_process.push_back(std::move(series));
    }
    if (by_process.empty()) return;
    std::size_t steps = by_process.front().size();
    for (const Series& series : by_process) steps = std::min(steps, series.size());
    for (std::size_t step = 0; step < steps; ++step) {
      double least = by_process.front()[step];
      double all = 0;
      for (const Series& series : by_process) {
        least = std::min(least, series[step]);
        all += series[step];
      }
      classes_["collective"].push_back(least);
      if (by_process.size() > 1) {
        classes_["waiting for other ranks"].push_back(all / static_cast<double>(by_process.size()) -
                                                      least);
      }
    }
  }

  std::vector<std::vector<bool>> collective_;  ///< by process and function
  ByName functions_;
  ByName classes_;
  Series idle_;
  Series cycles_;
};

/// Which functions of a side run on a device; the first one of a name decides.
class DeviceFunctions {
 public:
  explicit DeviceFunctions(const ComparedRun& side) {
    for (const ProcessCost& process : side.processes) {
      for (const FunctionCost& function : process.functions) {
        is_on_device_.try_emplace(function.name, is_gpu_type(function.type));
      }
    }
  }

  bool contain(const std::string& what) const {
    if (what.starts_with("gpu_") || what == "collective") return true;
    const auto found = is_on_device_.find(what);
    return found != is_on_device_.end() && found->second;
  }

 private:
  std::unordered_map<std::string_view, bool> is_on_device_;
};

struct Candidate {
  TimeBreakdownRow row;
  double p = 1;
  double after_ns = 0;  ///< mean per abnormal cycle
};

Candidate compare(const std::string& what, const std::string& kind, const Series& a,
                  const Series& b) {
  const double before = moments(a).mean;
  const double after = moments(b).mean;
  Candidate candidate;
  candidate.after_ns = after;
  candidate.row.what = what;
  candidate.row.kind = kind;
  candidate.row.delta_ns_per_cycle = after - before;
  candidate.row.ratio = before > 0 ? after / before : 0;
  candidate.p = a.size() >= 3 && b.size() >= 3 ? mann_whitney_p(a, b) : NAN;
  return candidate;
}

void add_all(const ByName& a, const ByName& b, const std::string& kind,
             std::vector<Candidate>& into) {
  static const Series kNothing;
  for (const auto& [name, series] : a) {
    const auto other = b.find(name);
    into.push_back(compare(name, kind, series, other == b.end() ? kNothing : other->second));
  }
  for (const auto& [name, series] : b) {
    if (!a.contains(name)) into.push_back(compare(name, kind, kNothing, series));
  }
}

}  // namespace

std::vector<TimeBreakdownRow> where_the_time_went(const ComparedRun& normal,
                                                  const ComparedRun& abnormal, bool per_launch) {
  const double launches = median_launches(normal);
  const Spending a(normal, per_launch, launches);
  const Spending b(abnormal, per_launch, launches);
  std::vector<Candidate> candidates;
  add_all(a.classes(), b.classes(), "class", candidates);
  candidates.push_back(compare("device idle", "idle", a.idle(), b.idle()));
  add_all(a.functions(), b.functions(), "function", candidates);
  const double cycle_ns = moments(b.cycles()).mean;
  const DeviceFunctions on_device(abnormal);
  for (Candidate& candidate : candidates) {
    TimeBreakdownRow& row = candidate.row;
    if (cycle_ns <= 0 || (row.kind != "idle" && !on_device.contain(row.what))) continue;
    row.critical_share = std::min(1.0, candidate.after_ns / cycle_ns);
  }

  std::vector<double> p_values;
  p_values.reserve(candidates.size());
  for (const Candidate& candidate : candidates) p_values.push_back(candidate.p);
  const std::vector<double> q = benjamini_hochberg(p_values);
  double total = 0;
  for (const Candidate& candidate : candidates) {
    if (candidate.row.kind != "function") total += std::abs(candidate.row.delta_ns_per_cycle);
  }
  std::vector<TimeBreakdownRow> rows;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    TimeBreakdownRow row = std::move(candidates[i].row);
    if (std::isfinite(q[i])) row.q = q[i];
    row.share = total > 0 ? row.delta_ns_per_cycle / total : 0;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TimeBreakdownRow& x, const TimeBreakdownRow& y) {
                     return std::abs(x.delta_ns_per_cycle) > std::abs(y.delta_ns_per_cycle);
                   });
  return rows;
}

std::optional<double> ratio_of_class(const std::vector<TimeBreakdownRow>& rows,
                                     std::string_view type) {
  for (const TimeBreakdownRow& row : rows) {
    if (row.kind == "class" && row.what == type && row.ratio > 0) return row.ratio;
  }
  return std::nullopt;
}

}  // namespace tactus
