#include "measure/kinds/step_kinds.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "measure/kinds/step_kernels.h"

namespace tactus {
namespace {

constexpr std::size_t kMostKinds = 4;
constexpr std::size_t kMostRanks = 16;  // kernels of very many ranks would take too long
/// Fewer steps are no kind: the first and the last pass of a program are often odd.
constexpr std::size_t kFewestSteps = 3;
/// So many different steps have no kinds, and comparing each with each takes long.
constexpr std::size_t kMostDifferent = 64;

struct Kind {
  Frequencies kernels;  ///< of its first step
  std::vector<std::size_t> steps;
};

/// Kinds of the unknown steps of a rank, the one with most steps first; nothing if they are not
/// clear.
std::vector<Kind> kinds_of(const Measurement& measurement, std::size_t rank) {
  std::vector<Kind> kinds;
  const std::vector<MeasuredStep>& steps = measurement.ranks[rank].steps;
  std::vector<Frequencies> kernels = kernels_of_steps(measurement, rank);
  std::map<Frequencies, std::size_t> known;  // steps are mostly the same
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].work.phase != Phase::kUnknown) continue;
    if (kernels[i].empty()) return {};
    const auto [same, is_new] = known.try_emplace(kernels[i], kinds.size());
    if (is_new) {
      const auto alike = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
        return jaccard(kind.kernels, kernels[i]) >= kSameKernels;
      });
      same->second = static_cast<std::size_t>(alike - kinds.begin());
      if (alike == kinds.end() && kinds.size() == kMostDifferent) return {};
      if (alike == kinds.end()) kinds.push_back({.kernels = kernels[i], .steps = {}});
    }
    kinds[same->second].steps.push_back(i);
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const Kind& a, const Kind& b) { return a.steps.size() > b.steps.size(); });
  // Odd ones go with the rest.
  while (kinds.size() > 1 && kinds.back().steps.size() < kFewestSteps) {
    kinds.front().steps.insert(kinds.front().steps.end(), kinds.back().steps.begin(),
                               kinds.back().steps.end());
    kinds.pop_back();
  }
  return kinds;
}

/// The kernels without their grids.
Frequencies names_of(const Frequencies& kernels) {
  Frequencies names;
  for (const auto& [name, count] : kernels) names[name.substr(name.find(' ') + 1)] += count;
  return names;
}

/// For each kind of `others` the one of `kinds` that it is like; nothing without a pair for each.
/// More work has larger grids, so where those find none, names have to do.
std::vector<std::size_t> pairs_of(const std::vector<Kind>& kinds, const std::vector<Kind>& others) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> pairs(others.size(), kNone);
  const auto is_taken = [&](std::size_t kind, std::size_t by_other_than) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i != by_other_than && pairs[i] == kind) return true;
    }
    return false;
  };
  const auto pair_by = [&](auto&& kernels_of) {
    for (std::size_t other = 0; other < others.size(); ++other) {
      if (pairs[other] != kNone) continue;
      double most = kSameKernels;
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (is_taken(i, other)) continue;
        const double shared =
            jaccard(kernels_of(kinds[i].kernels), kernels_of(others[other].kernels));
        if (shared < most || (shared == most && pairs[other] != kNone)) continue;
        most = shared;
        pairs[other] = i;
      }
    }
  };
  pair_by([](const Frequencies& kernels) { return kernels; });
  pair_by(names_of);
  if (std::find(pairs.begin(), pairs.end(), kNone) != pairs.end()) return {};
  return pairs;
}

}  // namespace

void find_step_kinds(std::span<Measurement* const> recordings) {
  const std::size_t ranks = recordings.front()->ranks.size();
  if (ranks > kMostRanks) return;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::vector<Kind>> kinds;
    std::vector<std::vector<std::size_t>> pairs;
    for (const Measurement* recording : recordings) {
      if (recording->ranks.size() != ranks) return;
      kinds.push_back(kinds_of(*recording, rank));
      const std::size_t count = kinds.back().size();
      if (count < 2 || count > kMostKinds || count != kinds.front().size()) break;
      pairs.push_back(pairs_of(kinds.front(), kinds.back()));
      if (pairs.back().size() != count) break;
    }
    if (pairs.size() != recordings.size() || pairs.back().size() != kinds.front().size()) continue;
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      for (std::size_t kind = 0; kind < kinds[i].size(); ++kind) {
        for (const std::size_t step : kinds[i][kind].steps) {
          recordings[i]->ranks[rank].steps[step].kind = static_cast<std::uint8_t>(pairs[i][kind]);
        }
      }
    }
  }
}

}  // namespace tactus
