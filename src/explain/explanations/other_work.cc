// What other work can do to a step: tokens, lengths, grids.
#include <algorithm>
#include <cmath>

#include "explain/explanations/explanation_parts.h"
#include "stats/summary.h"

namespace tactus {

bool is_as_often(const FunctionChange& function) {
  const auto& [before, after] = function.count;
  return before > 0 && std::abs(after / before - 1) < 0.02;
}

namespace {

/// Of kernels that both runs launch as often: one that is launched more often has other things to
/// do as well. Nothing if the grids of too few kernels are known.
std::optional<double> known_grid_ratio(const PhaseFacts& facts) {
  constexpr double kEnough = 0.2;
  constexpr double kFollow = 0.1;
  double known_ns = 0;
  double all_ns = 0;
  double moved_ns = 0;
  std::vector<std::pair<double, double>> moved;  // ratios with the time of their kernels
  for (const FunctionChange& function : facts.functions) {
    if (!is_compute_part(function.part)) continue;
    all_ns += function.ns[0];
    if (function.state != Presence::kChanged || function.blocks[0] <= 0 ||
        function.blocks[1] <= 0 || !is_as_often(function)) {
      continue;
    }
    known_ns += function.ns[0];
    const double ratio = function.blocks[1] / function.blocks[0];
    if (!grids_differ(ratio)) continue;
    moved_ns += function.ns[0];
    moved.emplace_back(ratio, function.ns[0]);
  }
  if (!(known_ns > kEnough * all_ns)) return std::nullopt;
  // Kernels that fill the device have as many blocks for any work, so only the others tell.
  return moved_ns > kFollow * known_ns ? weighted_median(std::move(moved)) : 1;
}

bool knows_tokens(const PhaseFacts& facts) {
  return facts.phase.work.tokens[0] && facts.phase.work.tokens[1];
}

}  // namespace

double grid_ratio(const PhaseFacts& facts) {
  // Steps of different phases have different grids, whatever else changed.
  if (knows_tokens(facts) || facts.phase.is_of_no_phase) return 1;
  return known_grid_ratio(facts).value_or(1);
}

bool knows_work(const PhaseFacts& facts) {
  return knows_tokens(facts) || known_grid_ratio(facts).has_value();
}

namespace {

/// After over before; 1 if one is not known.
double ratio_of(const std::array<std::optional<double>, 2>& levels) {
  const auto& [before, after] = levels;
  return before && after && *before > 0 && *after > 0 ? *after / *before : 1;
}

}  // namespace

/// A product of few tokens reads its weights and little else, however many tokens they are. Experts
/// are the exception: more tokens choose more of them.
bool reads_weights_only(const PhaseFacts& facts, Part part) {
  return part == part_of(Family::kGemm) && limit_of(facts, part) == LimitedBy::kMemory &&
         facts.phase.part(part_of(Family::kMoe)) == nullptr;
}

WorkRange work_range(const PhaseFacts& facts, Part part) {
  // What 64 tokens bring and take away beside a matrix of some hundred rows.
  constexpr double kBesideWeights = 1.1;
  const WorkLevels& work = facts.phase.work;
  double tokens = knows_tokens(facts) ? ratio_of(work.tokens) : grid_ratio(facts);
  if (reads_weights_only(facts, part)) {
    tokens = std::clamp(tokens, 1 / kBesideWeights, kBesideWeights);
  }
  const double context = is_attention(part) ? ratio_of(work.context) : 1;
  return {.least = std::min(1.0, tokens) * std::min(1.0, context),
          .most = std::max(1.0, tokens) * std::max(1.0, context)};
}

bool is_other_work(const PhaseFacts& facts) {
  if (facts.phase.is_of_no_phase) return true;
  return !facts.phase.same_work && !knows_tokens(facts) && !grids_differ(grid_ratio(facts));
}

LimitedBy limit_of(const PhaseFacts& facts, Part part) {
  // A product reads its weights once for all tokens, so it does as many operations per byte as a
  // step has tokens. Devices do 100 to 600 operations while they read a byte.
  constexpr double kFewTokens = 64;
  constexpr double kManyTokens = 1024;
  const bool is_product = part == part_of(Family::kGemm) || part == part_of(Family::kConv);
  const bool is_prompt = facts.phase.phase == Phase::kPrefill;
  if (part == part_of(Family::kAttention) && is_prompt) return LimitedBy::kUnknown;
  if (part == part_of(Family::kMoe) || part == part_of(Family::kOther)) return LimitedBy::kUnknown;
  if (!is_product) return LimitedBy::kMemory;
  if (!knows_tokens(facts)) return LimitedBy::kUnknown;
  const auto [least, most] = std::minmax(*facts.phase.work.tokens[0], *facts.phase.work.tokens[1]);
  return most <= kFewTokens     ? LimitedBy::kMemory
         : least >= kManyTokens ? LimitedBy::kCompute
                                : LimitedBy::kUnknown;
}

}  // namespace tactus
