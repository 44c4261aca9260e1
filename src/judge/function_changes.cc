#include "judge/function_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "judge/phase_samples.h"
#include "measure/renumbered.h"
#include "stats/tests.h"

namespace tactus {
namespace {

/// The costs of one function by compared step of both sides.
struct Series {
  Part part = Part::kUnknownIdle;
  std::array<std::vector<std::pair<std::size_t, FunctionCost>>, 2> costs;  ///< by compared step
};

using SeriesByName = std::map<std::string, Series, std::less<>>;

/// What one run lacks and the other one has instead under another number is the same function, if
/// there is no other one that it could be.
void join_renumbered(SeriesByName& by_name) {
  std::map<std::string, std::array<std::vector<std::string>, 2>> alone;  // by the common name
  for (const auto& [name, series] : by_name) {
    const std::string common = without_number(name);
    if (common == name) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      if (series.costs[1 - side].empty()) alone[common][side].push_back(name);
    }
  }
  for (auto& [common, names] : alone) {
    if (names[0].size() != 1 || names[1].size() != 1) continue;
    Series joined = std::move(by_name.find(names[0][0])->second);
    joined.costs[1] = std::move(by_name.find(names[1][0])->second.costs[1]);
    by_name.erase(names[0][0]);
    by_name.erase(names[1][0]);
    by_name.emplace(common, std::move(joined));
  }
}

}  // namespace

std::vector<FunctionChange> function_changes(const Side& normal, const Side& abnormal,
                                             const RankChange& rank, const PhaseChange& phase) {
  const std::array<Side, 2> sides = {normal, abnormal};
  // As judge() took them: a phase that the runs do not share is all steps.
  PhaseSamples samples(sides, rank.members, phase.phase_kind());
  if (samples.empty()) samples = PhaseSamples(sides, rank.members, std::nullopt);
  SeriesByName by_name;
  for (std::size_t side = 0; side < 2; ++side) {
    // Where each step of each recording is among the compared ones.
    std::map<const RankMeasure*, std::unordered_map<std::size_t, std::size_t>> place_of;
    std::size_t place = 0;
    samples.for_each(
        side, [&](const RankMeasure& of, std::size_t step) { place_of[&of][step] = place++; });
    for (const auto& [recording, index] : rank.members[side]) {
      const Measurement& measurement = *sides[side][recording];
      const auto places = place_of.find(&measurement.ranks[index]);
      if (places == place_of.end()) continue;
      const FunctionCosts costs = measurement.functions(index);
      for (const FunctionCost& cost : costs.costs) {
        const auto at = places->second.find(cost.step);
        if (at == places->second.end()) continue;
        const MeasuredFunction& function = costs.functions[cost.function];
        Series& series = by_name[function.name];
        series.part = function.part;
        FunctionCost scaled = cost;
        const double scale = measurement.ranks[index].steps[cost.step].scale;
        scaled.ns *= scale;
        scaled.count = static_cast<float>(static_cast<double>(cost.count) * scale);
        series.costs[side].emplace_back(at->second, scaled);
      }
    }
  }
  join_renumbered(by_name);
  std::vector<FunctionChange> changes;
  std::vector<double> p_values;
  for (const auto& [name, series] : by_name) {
    FunctionChange change{.name = name, .part = series.part};
    std::array<std::vector<double>, 2> ns;
    std::array<std::vector<double>, 2> counts;
    for (std::size_t side = 0; side < 2; ++side) {
      ns[side].assign(samples.size(side), 0);
      counts[side].assign(samples.size(side), 0);
      double blocks = 0;
      double launches = 0;
      for (const auto& [place, cost] : series.costs[side]) {
        blocks += cost.blocks;
        launches += static_cast<double>(cost.count);
        ns[side][place] += cost.ns;
        counts[side][place] += static_cast<double>(cost.count);
      }
      if (launches > 0) change.blocks[side] = blocks / launches;
      change.steps[side] =
          static_cast<double>(std::count_if(counts[side].begin(), counts[side].end(),
                                            [](double count) { return count > 0; })) /
          static_cast<double>(samples.size(side));
    }
    const auto mean_ns = samples.means(ns);
    const auto mean_counts = samples.means(counts);
    change.ns = {mean_ns[0].mean, mean_ns[1].mean};
    change.count = {mean_counts[0].mean, mean_counts[1].mean};
    change.state = change.count[0] == 0   ? Presence::kNew
                   : change.count[1] == 0 ? Presence::kGone
                                          : Presence::kChanged;
    change.p = samples.compare(ns).p;
    p_values.push_back(change.p.value_or(NAN));
    changes.push_back(std::move(change));
  }
  const std::vector<double> q = benjamini_hochberg(p_values);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (std::isfinite(q[i])) changes[i].q = q[i];
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const FunctionChange& a, const FunctionChange& b) {
                     return std::abs(a.delta_ns()) > std::abs(b.delta_ns());
                   });
  return changes;
}

}  // namespace tactus
