#include "measure/regroup.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cycles/cycle_selection.h"
#include "measure/close_gaps.h"
#include "measure/kinds/frequencies.h"
#include "run/event_view.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// How far from a whole number the ratio of launches may be.
constexpr double kWholeNumber = 0.1;
/// Joined cycles are like those of the other run: launches this near, kernels this much the same.
constexpr double kLaunchesDiffer = 0.10;
constexpr double kSameKind = 0.50;
/// How many kernels tell how a cycle begins.
constexpr std::size_t kBeginning = 4;
/// How many of the distances between beginnings have to be the usual one.
constexpr double kRegular = 0.8;

using Beginning = std::vector<std::string_view>;

/// The kernels of each cycle in the order in which they ran.
class KernelsOfCycles {
 public:
  KernelsOfCycles(const Run& run, const Cycles& cycles) : cycles_(cycles) {
    struct Launch {
      std::int64_t start_ns;
      std::string_view name;
    };
    std::vector<std::vector<Launch>> launches(cycles.cycles.size());
    for_each_event(run, run.slices, [&](const EventView& event) {
      if (event.row >= cycles.cycle_of_slice.size()) return;
      if (run.kind_of(event.category) != SliceKind::kKernel) return;
      if (cycles.cycle_of_slice[event.row] < 0) {
        loose_ns_.push_back(event.start_ns);
        return;
      }
      launches[static_cast<std::size_t>(cycles.cycle_of_slice[event.row])].push_back(
          {event.start_ns, run.strings[event.name]});
    });
    for (std::vector<Launch>& of_cycle : launches) {
      std::stable_sort(of_cycle.begin(), of_cycle.end(),
                       [](const Launch& x, const Launch& y) { return x.start_ns < y.start_ns; });
      names_.emplace_back();
      for (const Launch& launch : of_cycle) names_.back().push_back(launch.name);
    }
    std::sort(loose_ns_.begin(), loose_ns_.end());
  }

  const Cycles& cycles() const { return cycles_; }
  std::size_t count(std::size_t cycle) const { return names_[cycle].size(); }
  /// Whether kernels outside cycles ran before a cycle and after the previous one.
  bool follows_a_gap(std::size_t cycle) const {
    const std::int64_t from_ns = cycle == 0 ? INT64_MIN : cycles_.cycles[cycle - 1].start_ns;
    const auto next = std::lower_bound(loose_ns_.begin(), loose_ns_.end(), from_ns);
    return next != loose_ns_.end() && *next < cycles_.cycles[cycle].start_ns;
  }

  Beginning beginning(std::size_t cycle) const {
    const std::vector<std::string_view>& names = names_[cycle];
    return {names.begin(),
            names.begin() + static_cast<std::ptrdiff_t>(std::min(kBeginning, names.size()))};
  }
  std::set<Beginning> beginnings_of_whole() const {
    std::set<Beginning> all;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (cycles_.cycles[i].complete && !names_[i].empty()) all.insert(beginning(i));
    }
    return all;
  }
  double median_launches() const {
    std::vector<double> counts;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (cycles_.cycles[i].complete) counts.push_back(static_cast<double>(names_[i].size()));
    }
    return counts.empty() ? 0 : median(counts);
  }
  double mean_launches() const {
    double sum = 0;
    double whole = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!cycles_.cycles[i].complete) continue;
      sum += static_cast<double>(names_[i].size());
      whole += 1;
    }
    return whole > 0 ? sum / whole : 0;
  }
  Frequencies per_whole_cycle() const {
    Frequencies kernels;
    double whole = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!cycles_.cycles[i].complete || names_[i].empty()) continue;
      whole += 1;
      for (const std::string_view name : names_[i]) kernels[std::string(name)] += 1;
    }
    for (auto& [name, count] : kernels) count /= whole;
    return kernels;
  }

 private:
  const Cycles& cycles_;
  std::vector<std::vector<std::string_view>> names_;
  std::vector<std::int64_t> loose_ns_;  ///< starts of kernels of no cycle
};

struct Grouping {
  std::size_t count = 0;
  std::vector<std::size_t> firsts;
  bool has_gaps = false;  ///< what runs between groups belongs to the work
};

/// The distance that most neighbours have, if nearly all have it; 0 if not.
std::size_t usual_distance(const std::vector<std::size_t>& places, const Cycles& cycles) {
  std::map<std::size_t, std::size_t> times;
  std::size_t all = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (cycles.cycles[places[i]].process != cycles.cycles[places[i - 1]].process) continue;
    ++times[places[i] - places[i - 1]];
    ++all;
  }
  for (const auto& [distance, count] : times) {
    if (static_cast<double>(count) >= kRegular * static_cast<double>(all)) return distance;
  }
  return 0;
}

/// Groups of `count` that begin at `starts`, if no other start is inside.
Grouping groups_at(const std::vector<std::size_t>& starts, std::size_t count,
                   const Cycles& cycles) {
  Grouping grouping{.count = count, .firsts = {}, .has_gaps = false};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = starts[i] + count;
    if (end > cycles.cycles.size() || (i + 1 < starts.size() && starts[i + 1] < end)) continue;
    if (cycles.cycles[end - 1].process != cycles.cycles[starts[i]].process) continue;
    grouping.firsts.push_back(starts[i]);
  }
  return grouping;
}

/// Each process from its first whole cycle on.
Grouping groups_by_count(std::size_t count, const Cycles& cycles) {
  Grouping grouping{.count = count, .firsts = {}, .has_gaps = false};
  for (std::size_t i = 0; i + count <= cycles.cycles.size();) {
    const bool is_one_process = cycles.cycles[i].process == cycles.cycles[i + count - 1].process;
    if (!is_one_process || !cycles.cycles[i].complete) {
      ++i;
      continue;
    }
    grouping.firsts.push_back(i);
    i += count;
  }
  return grouping;
}

bool has_one_process(const Cycles& cycles) {
  return cycles.cycles.empty() ||
         std::all_of(cycles.cycles.begin(), cycles.cycles.end(), [&](const Cycle& cycle) {
           return cycle.process == cycles.cycles.front().process;
         });
}

/// Layers of a step follow each other at once. Embedding and sampling run between the last layer of
/// a step and the first of the next, and are part of no layer.
Grouping groups_between_gaps(const KernelsOfCycles& fine) {
  if (!has_one_process(fine.cycles())) return {};  // whose work lies in a gap would be unknown
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < fine.cycles().cycles.size(); ++i) {
    if (fine.follows_a_gap(i)) starts.push_back(i);
  }
  const std::size_t distance = usual_distance(starts, fine.cycles());
  if (distance < 2) return {};
  Grouping grouping = groups_at(starts, distance, fine.cycles());
  grouping.has_gaps = true;
  return grouping;
}

Grouping find_groups(const KernelsOfCycles& coarse, const KernelsOfCycles& fine) {
  const std::set<Beginning> beginnings = coarse.beginnings_of_whole();
  const std::vector<Cycle>& cycles = fine.cycles().cycles;
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (fine.count(i) > 0 && beginnings.contains(fine.beginning(i))) starts.push_back(i);
  }
  const std::size_t distance = usual_distance(starts, fine.cycles());
  if (distance > 1) return groups_at(starts, distance, fine.cycles());

  Grouping layers = groups_between_gaps(fine);
  if (layers.count > 1) return layers;

  const double mean = fine.mean_launches();
  const double ratio = mean > 0 ? coarse.median_launches() / mean : 0;
  const double whole = std::round(ratio);
  const bool fits = whole >= 2 && std::abs(ratio - whole) <= kWholeNumber;
  if (!fits || whole > static_cast<double>(cycles.size())) return {};
  return groups_by_count(static_cast<std::size_t>(whole), fine.cycles());
}

bool are_alike(const KernelsOfCycles& a, const KernelsOfCycles& b) {
  const double in_a = a.median_launches();
  const double in_b = b.median_launches();
  if (in_a <= 0 || in_b <= 0) return false;
  return std::abs(in_b - in_a) <= kLaunchesDiffer * std::max(in_a, in_b) &&
         jaccard(a.per_whole_cycle(), b.per_whole_cycle()) >= kSameKind;
}

}  // namespace

bool regroup(const Run& a, const Run& b, Cycles& of_a, Cycles& of_b) {
  const KernelsOfCycles in_a(a, of_a);
  const KernelsOfCycles in_b(b, of_b);
  if (in_a.median_launches() <= 0 || in_b.median_launches() <= 0) return false;
  const bool a_is_finer = in_a.median_launches() < in_b.median_launches();
  const KernelsOfCycles& coarse = a_is_finer ? in_b : in_a;
  const Grouping groups = find_groups(coarse, a_is_finer ? in_a : in_b);
  if (groups.count < 2 || groups.firsts.empty()) return false;

  Cycles joined = a_is_finer ? of_a : of_b;
  join_cycles(groups.count, groups.firsts, joined);
  if (groups.has_gaps) close_gaps(a_is_finer ? a : b, joined);
  if (!are_alike(coarse, KernelsOfCycles(a_is_finer ? a : b, joined))) return false;
  joined.comparable_key = coarse.cycles().comparable_key;
  (a_is_finer ? of_a : of_b) = std::move(joined);
  return true;
}

Result<std::pair<Cycles, Cycles>> cycles_to_compare(const Run& a, const Run& b) {
  Result<std::pair<Cycles, Cycles>> found = find_cycles_jointly(a, b, {.silence_is_pause = true});
  if (!found) return found.error();
  const bool is_common = found->first.method != AnchorMethod::kLaunch &&
                         found->first.comparable_key == found->second.comparable_key;
  if (is_common || regroup(a, b, found->first, found->second)) return found;

  // The anchor of one run may not exist in the other: then each run uses its own.
  Result<Cycles> of_a = find_cycles(a, {});
  Result<Cycles> of_b = find_cycles(b, {});
  if (!of_a || !of_b) return found;
  // One launches kernels where the other replays a graph: the same loop all the same.
  const bool same_loop =
      of_a->method != AnchorMethod::kLaunch && of_a->comparable_key == of_b->comparable_key;
  if (!same_loop && !regroup(a, b, *of_a, *of_b)) return found;
  return std::pair(std::move(*of_a), std::move(*of_b));
}

}  // namespace tactus
