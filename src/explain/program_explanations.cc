#include <fmt/format.h>

#include "counters/level_words.h"
#include "explain/explanation_parts.h"
#include "names/short_name.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// A library that switches between kernels inside a run may do so between runs, too.
bool switches_within_a_run(const std::vector<FunctionChange>& functions, Part part) {
  return std::any_of(functions.begin(), functions.end(), [&](const FunctionChange& function) {
    return function.part == part && function.state == Presence::kChanged &&
           ((function.steps[0] > 0.02 && function.steps[0] < 0.9) ||
            (function.steps[1] > 0.02 && function.steps[1] < 0.9));
  });
}

class ProgramFinder {
 public:
  ProgramFinder(const PhaseFacts& facts, std::vector<Explanation>& found)
      : facts_(facts), phase_(facts.phase), grid_ratio_(grid_ratio(facts)), found_(found) {}

  void find() {
    add_workload();
    add_copied_bytes();
    add_more_launches();
    add_kernels();
    add_syncs();
  }

 private:
  void add_workload() {
    const auto& [a, b] = phase_.work.tokens;
    const auto& [context_a, context_b] = phase_.work.context;
    const double tokens = a && b && *a > 0 ? *b / *a : 1;
    const double context = context_a && context_b && *context_a > 0 ? *context_b / *context_a : 1;
    const bool tokens_differ = std::abs(std::log(tokens)) > 0.005;
    const bool context_differs = std::abs(std::log(context)) > 0.05;
    if (tokens_differ || context_differs) {
      // How time grows with tokens, steps of both runs may show; else no faster than the tokens do.
      Explanation found{.verdict = VerdictClass::kWorkloadChanged,
                        .has_law = true,
                        .is_bound = !phase_.growth.has_value()};
      found.resource = tokens_differ ? "tokens" : "context_tokens";
      const auto [before, after] =
          facts_.in_order(tokens_differ ? phase_.work.tokens : phase_.work.context);
      found.text =
          fmt::format("{} instead of {:.0f}",
                      tokens_differ ? fmt::format("a step works on {:.0f} tokens", *after)
                                    : fmt::format("sequences are {:.0f} tokens long", *after),
                      *before);
      found.is_felt = true;
      found.has_signal = true;
      const double growth = phase_.growth.value_or(1);
      for (const PartChange& part : phase_.parts) {
        if (is_idle_part(part.part)) continue;
        const double factor = std::pow(tokens, growth) * (is_attention(part.part) ? context : 1);
        predict(phase_, found, part.part, factor);
      }
      found.could_explain = could_explain();
      found_.push_back(std::move(found));
      return;
    }
    if (grids_differ(grid_ratio_)) {
      add_other_grids();
    } else {
      add_longer_context();
    }
  }

  /// The largest share of the change that the work can be the reason of: no part takes more times
  /// as long as there is more work for it, nor fewer.
  double could_explain() const {
    const double change = phase_.delta_ns();
    double most = 0;
    for (const PartChange& part : phase_.parts) {
      const WorkRange range = work_range(facts_, part.part);
      most += part.before_ns * (change > 0 ? range.most - 1 : 1 - range.least);
    }
    return change == 0 ? 1 : most / std::abs(change);
  }

  void add_other_grids() {
    const double ratio = facts_.in_order(grid_ratio_);
    Explanation found{
        .verdict = VerdictClass::kWorkloadChanged,
        .resource = "grids",
        .text = fmt::format("the same kernels are launched with {:.2f} times as many blocks, so a "
                            "step works on {}",
                            ratio, ratio > 1 ? "more" : "less"),
        .has_signal = true,
        .is_felt = true,
        .felt_ratio = grid_ratio_};
    // Of each part as much as the work can explain.
    for (const PartChange& part : phase_.parts) {
      if (is_idle_part(part.part)) continue;
      take(phase_, found, part.part);
      double& predicted = found.predicted_ns[static_cast<std::size_t>(part.part)];
      predicted = std::min(predicted, part.before_ns * (grid_ratio_ - 1));
    }
    found.could_explain = could_explain();
    found_.push_back(std::move(found));
  }

  /// Attention alone is slower, with the same kernels: it reads more keys and values.
  void add_longer_context() {
    if (phase_.work.context[0] && phase_.work.context[1]) return;  // known, and the same
    const Sum attention = sum_of(phase_, is_attention);
    const Sum others =
        sum_of(phase_, [&](Part part) { return is_compute_part(part) && !is_attention(part); });
    const double ratio = attention.ratio();
    const bool is_alone = std::abs(std::log(others.ratio())) < 0.2 * std::abs(std::log(ratio));
    if (!(ratio > kContention) || !attention.is_clear || !is_alone || others.before <= 0) return;
    const Replacement replaced = find_replacement(facts_);
    if (replaced.parts.contains(part_of(Family::kAttention))) return;
    Explanation found{
        .verdict = VerdictClass::kWorkloadChanged,
        .resource = "attention",
        .text = fmt::format("attention alone takes {:.2f} times as long with the same "
                            "kernels, as it does with sequences of another length",
                            facts_.in_order(ratio)),
        .is_felt = true,
        .felt_ratio = ratio};
    for (const PartChange& part : phase_.parts) {
      if (is_attention(part.part)) take(phase_, found, part.part);
    }
    found_.push_back(std::move(found));
  }

  /// A step copies more bytes than before. At the same speed, that takes so much longer.
  void add_copied_bytes() {
    for (const Effort effort : {Effort::kCopiesToDevice, Effort::kCopiesFromDevice}) {
      const EffortChange* copies = phase_.effort(effort);
      if (copies == nullptr || !(copies->bytes[0] > 0)) continue;
      const double ratio = copies->bytes[1] / copies->bytes[0];
      const Part part = copy_part(effort);
      const PartChange* change = phase_.part(part);
      if (!(ratio > kContention) || change == nullptr || !change->is_clear()) continue;
      const auto [before, after] = facts_.in_order(copies->bytes);
      Explanation found{
          .verdict = VerdictClass::kWorkloadChanged,
          .resource = std::string(part_name(part)),
          .text = fmt::format(
              "a step copies {} {} the device instead of {}", level_words(after, "bytes"),
              effort == Effort::kCopiesToDevice ? "to" : "from", level_words(before, "bytes")),
          .has_law = true,
          .has_signal = true,
          .is_felt = true,
          .felt_ratio = change->before_ns > 0 ? change->after_ns / change->before_ns : ratio,
          .law_ratio = ratio};
      predict(phase_, found, part, ratio);
      found_.push_back(std::move(found));
    }
  }

  /// The same kernels, more often in each step.
  void add_more_launches() {
    const double ratio = kernel_count_ratio(facts_);
    if (!facts_.compares_work || !(ratio > kContention)) return;
    const auto [before, after] = facts_.in_order(phase_.effort(Effort::kKernels)->count);
    Explanation found{
        .verdict = VerdictClass::kWorkloadChanged,
        .resource = "launches",
        .text = fmt::format("a step launches {:.0f} kernels instead of {:.0f}, and no others",
                            after, before),
        .has_law = true,
        .has_signal = true,
        .is_felt = true,
        .felt_ratio = ratio,
        .law_ratio = ratio};
    for (const PartChange& part : phase_.parts) {
      if (is_compute_part(part.part) || part.part == Part::kLaunching) {
        predict(phase_, found, part.part, ratio);
      }
    }
    found_.push_back(std::move(found));
  }

  void add_kernels() {
    if (!facts_.compares_work || !phase_.same_work) return;
    // Libraries and compilers have other kernels for other sizes.
    if (grids_differ(grid_ratio_)) return;
    const Replacement replaced = find_replacement(facts_);
    if (replaced.parts.empty()) return;
    const FunctionChange& largest = *replaced.largest;
    Explanation found{.verdict = VerdictClass::kKernelsChanged,
                      .resource = largest.name,
                      .text = fmt::format(
                          "other kernels do the work: {} is {}, {:.0f} launches per "
                          "step differ",
                          short_kernel_name(largest.name, decode_kernel_name(largest.name)),
                          (largest.state == Presence::kNew) != facts_.is_reversed ? "new" : "gone",
                          replaced.launches),
                      .has_signal = true,
                      .is_felt = true};
    for (const Part part : replaced.parts) take(phase_, found, part);
    // Other code of the host launches them, and nothing says how long that takes. A few that are
    // launched as often as those they replace do not change that code.
    const EffortChange* kernels = phase_.effort(Effort::kKernels);
    const bool is_few = kernels != nullptr && replaced.launches < 0.1 * kernels->count[0];
    for (const Part part : {Part::kLaunching, Part::kHostCode, Part::kLaunchDelay}) {
      if (!is_few) take(phase_, found, part);
    }
    found_.push_back(std::move(found));
  }

  void add_syncs() {
    const EffortChange* waits = phase_.effort(Effort::kWaitCalls);
    if (waits == nullptr || !facts_.compares_work || !facts_.has_host) return;
    const auto [before, after] = waits->count;
    // At least one more in each step, and more than a loop that differs a little makes.
    if (after < before + 0.9 || after < 1.1 * before || !waits->count_is_apart) return;
    const auto [normal, abnormal] = facts_.in_order(waits->count);
    Explanation found{.verdict = VerdictClass::kSyncAdded,
                      .resource = "synchronisation",
                      .text = fmt::format("the host waits for the device {:.3g} times per step "
                                          "instead of {:.3g}",
                                          abnormal, normal),
                      .has_signal = true,
                      .is_felt = true};
    for (const PartChange& part : phase_.parts) {
      if (is_idle_part(part.part) || part.part == Part::kDeviceWait) {
        take(phase_, found, part.part);
      }
    }
    found_.push_back(std::move(found));
  }

  const PhaseFacts& facts_;
  const PhaseChange& phase_;
  double grid_ratio_;
  std::vector<Explanation>& found_;
};

}  // namespace

Replacement find_replacement(const PhaseFacts& facts) {
  constexpr std::size_t kFewestSteps = 3;
  Replacement found;
  if (std::min(facts.phase.steps[0], facts.phase.steps[1]) < kFewestSteps) return found;
  for (const FunctionChange& function : facts.functions) {
    if (function.state == Presence::kChanged || !is_kernel_part(function.part)) continue;
    const std::size_t side = function.state == Presence::kNew ? 1 : 0;
    if (function.steps[side] < 0.9 || function.count[side] < 1) continue;
    if (switches_within_a_run(facts.functions, function.part)) continue;
    found.parts.insert(function.part);
    found.launches += function.count[side];
    if (found.largest == nullptr ||
        function.ns[side] > found.largest->ns[found.largest->state == Presence::kNew ? 1 : 0]) {
      found.largest = &function;
    }
  }
  return found;
}

double kernel_count_ratio(const PhaseFacts& facts) {
  const EffortChange* kernels = facts.phase.effort(Effort::kKernels);
  if (kernels == nullptr || !kernels->count_is_apart || !(kernels->count[0] > 0)) return 1;
  return find_replacement(facts).parts.empty() ? kernels->count[1] / kernels->count[0] : 1;
}

namespace {

bool is_as_often(const FunctionChange& function) {
  const auto& [before, after] = function.count;
  return before > 0 && std::abs(after / before - 1) < 0.02;
}

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

WorkRange work_range(const PhaseFacts& facts, Part part) {
  const WorkLevels& work = facts.phase.work;
  const double tokens = knows_tokens(facts) ? ratio_of(work.tokens) : grid_ratio(facts);
  const double context = is_attention(part) ? ratio_of(work.context) : 1;
  return {.least = std::min(1.0, tokens) * std::min(1.0, context),
          .most = std::max(1.0, tokens) * std::max(1.0, context)};
}

bool is_other_work(const PhaseFacts& facts) {
  if (facts.phase.is_of_no_phase) return true;
  return !facts.phase.same_work && !knows_tokens(facts) && !grids_differ(grid_ratio(facts));
}

void add_program_explanations(const PhaseFacts& facts, std::vector<Explanation>& found) {
  ProgramFinder(facts, found).find();
}

}  // namespace tactus
