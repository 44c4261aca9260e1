#include "judge/straggler.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "judge/phase_samples.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr double kStandsOut = 1.25;  // whoever sees such a rank asks why
constexpr double kBecame = 1.1;      // of one that stands out
constexpr double kNotice = 1.03;     // a smaller one says nothing

/// A rank with the time of its steps that it spends on its own work, not on waiting for others.
class OwnWork final : public Measurement {
 public:
  OwnWork(const Measurement& of, std::size_t rank) {
    constexpr auto kWaiting = static_cast<std::size_t>(Part::kOtherRanks);
    const std::vector<double>& waiting = of.ranks[rank].parts[kWaiting];
    origin_ns = of.origin_ns;
    RankMeasure own;
    own.steps = of.ranks[rank].steps;
    for (std::size_t i = 0; i < own.steps.size(); ++i) {
      // No step is without work of its own: its logarithm is taken.
      if (!waiting.empty()) own.steps[i].ns = std::max(1.0, own.steps[i].ns - waiting[i]);
      total_ns_ += own.steps[i].ns;
    }
    ranks.push_back(std::move(own));
  }
  FunctionCosts functions(std::size_t) const override { return {}; }
  double mean_ns() const {
    return ranks[0].steps.empty() ? 0 : total_ns_ / static_cast<double>(ranks[0].steps.size());
  }

 private:
  double total_ns_ = 0;
};

/// The own work of a rank: how long it takes per step in both runs, and how it changed in the phase
/// that is asked for.
struct OwnChange {
  std::array<double, 2> mean_ns = {0, 0};
  Difference change;  ///< of logarithms
};

OwnChange own_change(const std::array<Side, 2>& sides, const RankChange& rank, PhaseKind phase) {
  OwnChange own;
  std::vector<std::unique_ptr<OwnWork>> kept;
  std::array<Side, 2> only_own;
  PhaseSamples::Members members;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const auto& [recording, index] : rank.members[side]) {
      kept.push_back(std::make_unique<OwnWork>(*sides[side][recording], index));
      if (only_own[side].empty()) own.mean_ns[side] = kept.back()->mean_ns();
      members[side].emplace_back(only_own[side].size(), 0);
      only_own[side].push_back(kept.back().get());
    }
  }
  const PhaseSamples samples(only_own, members, phase);
  if (samples.empty()) return own;
  std::array<std::vector<double>, 2> logs = {samples.lengths(0), samples.lengths(1)};
  for (std::vector<double>& side : logs) {
    for (double& value : side) value = std::log(value);
  }
  own.change = samples.compare(logs);
  return own;
}

template <class Value>
double median_of_others(const std::vector<OwnChange>& all, std::size_t which, Value&& value) {
  std::vector<double> others;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != which) others.push_back(value(all[i]));
  }
  return median(std::move(others));
}

Straggler slowest_of(const std::vector<OwnChange>& own, std::size_t run) {
  const auto most = std::max_element(
      own.begin(), own.end(),
      [&](const OwnChange& a, const OwnChange& b) { return a.mean_ns[run] < b.mean_ns[run]; });
  Straggler found{.rank = static_cast<std::size_t>(most - own.begin())};
  for (std::size_t side = 0; side < 2; ++side) {
    const double usual = median_of_others(
        own, found.rank, [&](const OwnChange& other) { return other.mean_ns[side]; });
    found.own_ratio[side] = usual > 0 ? most->mean_ns[side] / usual : 1;
  }
  return found;
}

/// The own work of a rank changed in the direction of the job, more than that of the others, not by
/// chance, and by enough to be the reason of half of the job's change (a logarithm). Of many ranks
/// the one that stands out most is looked at, so its interval is that for all of them together.
bool changed_alone(const std::vector<OwnChange>& own, std::size_t which, double of_job) {
  const int direction = of_job > 0 ? 1 : -1;
  const Difference& change = own[which].change;
  const bool all_have_intervals = std::all_of(own.begin(), own.end(), [](const OwnChange& rank) {
    return rank.change.low && rank.change.high;
  });
  if (!all_have_intervals) return false;
  const double wider =
      normal_quantile(1 - 0.025 / static_cast<double>(own.size())) / normal_quantile(1 - 0.025);
  // The end of an interval that is nearer to the other ranks.
  const double near =
      change.value - direction * wider *
                         (direction > 0 ? change.value - *change.low : *change.high - change.value);
  const double others = median_of_others(own, which, [&](const OwnChange& other) {
    return direction > 0 ? *other.change.high : *other.change.low;
  });
  const double usual =
      median_of_others(own, which, [](const OwnChange& other) { return other.change.value; });
  const double alone = direction * (change.value - usual);
  return direction * (near - others) > 0 && alone > std::log(kNotice) &&
         alone >= 0.5 * std::abs(of_job);
}

}  // namespace

std::optional<Straggler> find_straggler(const std::array<Side, 2>& sides,
                                        const std::vector<RankChange>& ranks,
                                        const PhaseChange& job) {
  if (ranks.size() < 2) return std::nullopt;
  std::vector<OwnChange> own;
  std::vector<std::size_t> peers;  // ranks of another role do other work
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].phase(job.phase_kind()) == nullptr) continue;
    own.push_back(own_change(sides, ranks[i], job.phase_kind()));
    peers.push_back(i);
  }
  if (own.size() < 2) return std::nullopt;
  const Straggler before = slowest_of(own, 0);
  const Straggler after = slowest_of(own, 1);
  Straggler found = after.own_ratio[1] >= before.own_ratio[0] ? after : before;
  const auto [was, is] = found.own_ratio;
  if (std::max(was, is) > kStandsOut) {
    found.rank = peers[found.rank];
    found.change = is > kBecame * was ? 1 : was > kBecame * is ? -1 : 0;
    // A rank that is late no more did not make the job slower.
    if (job.is_certain() && found.change * std::log(job.typical.ratio) < 0) found.change = 0;
    return found;
  }
  // One that stands out less is one if the steps of the job show it, too.
  if (!job.is_certain()) return std::nullopt;
  const double of_job = std::log(job.typical.ratio);
  found = of_job > 0 ? after : before;
  if (!changed_alone(own, found.rank, of_job)) return std::nullopt;
  found.rank = peers[found.rank];
  found.change = of_job > 0 ? 1 : -1;
  return found;
}

}  // namespace tactus
