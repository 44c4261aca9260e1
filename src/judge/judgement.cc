#include "judge/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "judge/phase_change.h"
#include "judge/shape.h"
#include "judge/straggler.h"
#include "stats/summary.h"
#include "stats/tests.h"

namespace tactus {
namespace {

constexpr Phase kPhasesInOrder[] = {Phase::kDecode, Phase::kPrefill, Phase::kMixed,
                                    Phase::kUnknown};

/// The phases that both sides have; all steps together if they have none in common.
std::vector<PhaseChange> phases_of(const std::array<Side, 2>& sides,
                                   const PhaseSamples::Members& members,
                                   std::optional<Phase> only) {
  std::vector<PhaseChange> phases;
  std::map<std::pair<Phase, std::uint8_t>, double> normal_ns;
  double total = 0;
  std::uint8_t most_kinds = 0;
  for (const auto& [recording, rank] : members[0]) {
    for (const MeasuredStep& step : sides[0][recording]->ranks[rank].steps) {
      total += step.ns;
      normal_ns[{step.work.phase, step.kind}] += step.ns;
      most_kinds = std::max(most_kinds, step.kind);
    }
  }
  for (const Phase phase : kPhasesInOrder) {
    if (only && phase != *only) continue;
    const std::size_t kinds = phase == Phase::kUnknown ? most_kinds + 1U : 1U;
    for (std::size_t i = 0; i < kinds; ++i) {
      const PhaseKind kind = {phase, static_cast<std::uint8_t>(i)};
      const PhaseSamples samples(sides, members, kind);
      if (!samples.empty()) phases.push_back(change_of_phase(samples, kind));
    }
  }
  if (phases.empty() && !only) {
    const PhaseSamples samples(sides, members, std::nullopt);
    if (!samples.empty()) {
      phases.push_back(change_of_phase(samples, {}));
      phases.back().same_work = false;
      phases.back().is_of_no_phase = true;
    }
  }
  for (PhaseChange& phase : phases) {
    const double ns = phase.is_of_no_phase ? total : normal_ns[{phase.phase, phase.kind}];
    phase.normal_share = total > 0 ? ns / total : 0;
    if (phase.kind > 0) continue;  // of which kind a pause is, is not known
    for (std::size_t side = 0; side < 2; ++side) {
      double paused = 0;
      double cut = 0;
      for (const auto& [recording, rank] : members[side]) {
        const RankMeasure& of = sides[side][recording]->ranks[rank];
        paused += of.pause_ns[static_cast<std::size_t>(phase.phase)];
        cut += static_cast<double>(of.cut_off[static_cast<std::size_t>(phase.phase)]);
      }
      phase.cut_off[side] = cut / (cut + static_cast<double>(phase.all_steps[side]));
      phase.pause_ns[side] =
          paused / static_cast<double>(std::max<std::size_t>(1, phase.all_steps[side]));
    }
  }
  return phases;
}

/// The host and device of each rank, if they tell the ranks of a recording apart.
bool devices_differ(const Measurement& recording) {
  std::set<std::pair<std::string, std::string>> places;
  std::size_t ranks = 0;
  for (const RankMeasure& rank : recording.ranks) {
    if (rank.steps.empty()) continue;
    ++ranks;
    if (!rank.device.empty()) places.insert({rank.host, rank.device});
  }
  return places.size() == ranks;
}

bool all_know_their_rank(const Measurement& recording) {
  return std::all_of(recording.ranks.begin(), recording.ranks.end(), [](const RankMeasure& rank) {
    return rank.rank.has_value() || rank.steps.empty();
  });
}

/// What ranks are paired by.
enum class PairedBy : std::uint8_t { kRank, kDevice, kOrder };

struct PairedRanks {
  std::vector<RankChange> pairs;
  std::size_t unpaired = 0;  ///< that only the normal side has
  std::size_t added = 0;     ///< that only the other side has
};

PairedRanks pair_by(PairedBy what, const std::array<Side, 2>& sides) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, RankChange> pairs;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t recording = 0; recording < sides[side].size(); ++recording) {
      const std::vector<RankMeasure>& ranks = sides[side][recording]->ranks;
      std::int64_t place = 0;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i].steps.empty()) continue;
        RankChange& pair =
            pairs[what == PairedBy::kRank ? std::tuple(std::string(), std::string(), *ranks[i].rank)
                  : what == PairedBy::kDevice
                      ? std::tuple(ranks[i].host, ranks[i].device, std::int64_t{0})
                      : std::tuple(std::string(), std::string(), place++)];
        pair.rank = ranks[i].rank;
        pair.label = ranks[i].rank ? fmt::format("rank {}", *ranks[i].rank)
                                   : fmt::format("process {}", ranks[i].pid_text);
        pair.device = ranks[i].device;
        pair.members[side].emplace_back(recording, i);
      }
    }
  }
  PairedRanks found;
  for (auto& [key, pair] : pairs) {
    if (!pair.members[0].empty() && !pair.members[1].empty()) {
      found.pairs.push_back(std::move(pair));
    } else {
      ++(pair.members[0].empty() ? found.added : found.unpaired);
    }
  }
  return found;
}

/// By what the ranks of both sides have in common: the rank, else host and device, else their
/// order, if there are as many.
PairedRanks pair_ranks(const std::array<Side, 2>& sides) {
  const auto all = [&](bool (*holds)(const Measurement&)) {
    return std::all_of(sides.begin(), sides.end(), [&](const Side& side) {
      return std::all_of(side.begin(), side.end(),
                         [&](const Measurement* recording) { return holds(*recording); });
    });
  };
  if (all(all_know_their_rank)) {
    PairedRanks found = pair_by(PairedBy::kRank, sides);
    if (!found.pairs.empty()) return found;
  }
  if (all(devices_differ)) {
    PairedRanks found = pair_by(PairedBy::kDevice, sides);
    if (!found.pairs.empty() || found.unpaired != found.added) return found;
  }
  return pair_by(PairedBy::kOrder, sides);
}

/// The role of each rank: the phase in which it spends most of its time, because servers for
/// prompts and servers for tokens do different work in one job. Ranks that also spend time in the
/// role of another do the same work, and chance decides which of their phases takes most: they have
/// one role.
std::vector<Phase> roles_of(const std::vector<RankMeasure>& ranks) {
  std::vector<Phase> roles(ranks.size(), Phase::kUnknown);
  std::vector<std::array<double, kPhases>> shares(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    double total = 0;
    for (const MeasuredStep& step : ranks[i].steps) {
      shares[i][static_cast<std::size_t>(step.work.phase)] += step.ns;
      total += step.ns;
    }
    for (double& share : shares[i]) share = total > 0 ? share / total : 0;
    roles[i] = static_cast<Phase>(std::max_element(shares[i].begin(), shares[i].end()) -
                                  shares[i].begin());
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t other = 0; other < ranks.size(); ++other) {
      if (ranks[other].steps.empty() || roles[other] == roles[i]) continue;
      if (shares[i][static_cast<std::size_t>(roles[other])] < kCountsFrom) continue;
      return std::vector<Phase>(ranks.size(), Phase::kUnknown);
    }
  }
  return roles;
}

/// A rank whose steps are those of the slowest rank; of each role, if there are several. Ranks that
/// wait for each other all take as long, but where one step ends and the next begins differs by a
/// little: the longest of each step would count that twice.
class JobMeasurement final : public Measurement {
 public:
  explicit JobMeasurement(const Measurement& of) {
    origin_ns = of.origin_ns;
    RankMeasure job;
    const std::vector<Phase> roles = roles_of(of.ranks);
    for (const Phase role : kPhasesInOrder) add_role(of, roles, role, job.steps);
    // Ranks wait together: the job pauses for as long, and as often, as the rank that does so
    // least.
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      std::optional<double> pause_ns;
      std::optional<std::size_t> cut_off;
      for (const RankMeasure& rank : of.ranks) {
        if (rank.steps.empty()) continue;
        pause_ns = std::min(pause_ns.value_or(rank.pause_ns[phase]), rank.pause_ns[phase]);
        cut_off = std::min(cut_off.value_or(rank.cut_off[phase]), rank.cut_off[phase]);
      }
      job.pause_ns[phase] = pause_ns.value_or(0);
      job.cut_off[phase] = cut_off.value_or(0);
    }
    ranks.push_back(std::move(job));
  }
  FunctionCosts functions(std::size_t) const override { return {}; }

 private:
  static void add_role(const Measurement& of, const std::vector<Phase>& roles, Phase role,
                       std::vector<MeasuredStep>& steps) {
    std::vector<const RankMeasure*> of_role;
    std::size_t common = SIZE_MAX;
    for (std::size_t r = 0; r < of.ranks.size(); ++r) {
      if (of.ranks[r].steps.empty() || roles[r] != role) continue;
      of_role.push_back(&of.ranks[r]);
      common = std::min(common, of.ranks[r].steps.size());
    }
    if (of_role.empty()) return;
    const auto total = [&](const RankMeasure* rank) {
      double ns = 0;
      for (std::size_t i = 0; i < common; ++i) ns += rank->steps[i].ns;
      return ns;
    };
    const RankMeasure* slowest = *std::max_element(
        of_role.begin(), of_role.end(),
        [&](const RankMeasure* a, const RankMeasure* b) { return total(a) < total(b); });
    steps.insert(steps.end(), slowest->steps.begin(),
                 slowest->steps.begin() + static_cast<std::ptrdiff_t>(common));
  }
};

std::vector<PhaseChange> job_phases(const std::array<Side, 2>& sides, std::optional<Phase> only) {
  std::vector<std::unique_ptr<JobMeasurement>> kept;
  std::array<Side, 2> jobs;
  PhaseSamples::Members members;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const Measurement* recording : sides[side]) {
      kept.push_back(std::make_unique<JobMeasurement>(*recording));
      members[side].emplace_back(jobs[side].size(), 0);
      jobs[side].push_back(kept.back().get());
    }
  }
  return phases_of(jobs, members, only);
}

/// The phase whose change costs the normal run most time; without a certain one, a phase with
/// several levels, else the phase with most of the time, if it can be one with an interval.
std::size_t headline_of(const std::vector<PhaseChange>& phases) {
  const auto order = [](const PhaseChange& phase) {
    const double share = phase.normal_share;
    const double cost = std::abs(phase.typical.ratio - 1) * share;
    const bool counts = share >= kCountsFrom;
    return std::tuple(phase.is_certain(), phase.is_certain() ? cost : 0,
                      counts && phase.has_levels(), counts && phase.typical.low, share);
  };
  const auto best = std::max_element(
      phases.begin(), phases.end(),
      [&](const PhaseChange& a, const PhaseChange& b) { return order(a) < order(b); });
  return static_cast<std::size_t>(best - phases.begin());
}

}  // namespace

const PartChange* PhaseChange::part(Part which) const {
  for (const PartChange& change : parts) {
    if (change.part == which) return &change;
  }
  return nullptr;
}

double PhaseChange::own_delta_ns() const {
  const PartChange* waiting = part(Part::kOtherRanks);
  return delta_ns() - (waiting == nullptr ? 0 : waiting->delta_ns());
}

const EffortChange* PhaseChange::effort(Effort which) const {
  for (const EffortChange& change : efforts) {
    if (change.effort == which) return &change;
  }
  return nullptr;
}

const PhaseChange* RankChange::phase(PhaseKind which) const {
  for (const PhaseChange& change : phases) {
    if (change.phase_kind() == which) return &change;
  }
  return nullptr;
}

Judgement judge(const Side& normal, const Side& abnormal, std::optional<Phase> only) {
  const std::array<Side, 2> sides = {normal, abnormal};
  Judgement judgement;
  judgement.recordings = {normal.size(), abnormal.size()};
  judgement.between_recordings = normal.size() > 1 && abnormal.size() > 1;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const Measurement* recording : sides[side]) {
      const auto ranks = static_cast<std::size_t>(
          std::count_if(recording->ranks.begin(), recording->ranks.end(),
                        [](const RankMeasure& rank) { return !rank.steps.empty(); }));
      judgement.job_ranks[side] = std::max(judgement.job_ranks[side], ranks);
    }
  }
  PairedRanks paired = pair_ranks(sides);
  judgement.ranks = std::move(paired.pairs);
  judgement.unpaired = paired.unpaired;
  if (judgement.ranks.empty()) return judgement;
  for (RankChange& rank : judgement.ranks) rank.phases = phases_of(sides, rank.members, only);
  judgement.job =
      judgement.ranks.size() == 1 ? judgement.ranks.front().phases : job_phases(sides, only);
  judgement.headline = headline_of(judgement.job);
  if (!judgement.job.empty()) {
    judgement.straggler = find_straggler(sides, judgement.ranks, judgement.job[judgement.headline]);
  }
  return judgement;
}

std::vector<PhaseChange> calm_phases(const Side& normal, const Side& abnormal,
                                     const RankChange& rank) {
  const std::array<Side, 2> sides = {normal, abnormal};
  std::vector<PhaseChange> calm;
  for (const PhaseChange& phase : rank.phases) {
    const PhaseSamples samples(sides, rank.members, phase.phase_kind());
    if (!samples.empty()) calm.push_back(calm_change_of_phase(samples.calm(), phase));
  }
  return calm;
}

}  // namespace tactus
