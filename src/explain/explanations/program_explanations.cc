#include <fmt/format.h>

#include "counters/level_words.h"
#include "explain/explanations/explanation_parts.h"

namespace tactus {
namespace {

class ProgramFinder {
 public:
  ProgramFinder(const PhaseFacts& facts, std::vector<Explanation>& found)
      : facts_(facts), phase_(facts.phase), grid_ratio_(grid_ratio(facts)), found_(found) {}

  void find() {
    add_workload();
    add_other_ranks();
    add_copied_bytes();
    add_kernel_explanations(facts_, found_);
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
      // Of two, the one that changed more is named.
      const bool by_tokens =
          tokens_differ && std::abs(std::log(tokens)) >= std::abs(std::log(context));
      found.resource = by_tokens ? "tokens" : "context_tokens";
      const auto [before, after] =
          facts_.in_order(by_tokens ? phase_.work.tokens : phase_.work.context);
      found.text = fmt::format("a step {} {:.0f} tokens instead of {:.0f}",
                               by_tokens ? "works on" : "attends to", *after, *before);
      found.is_felt = true;
      found.has_signal = true;
      for (const PartChange& part : phase_.parts) {
        if (is_idle_part(part.part)) continue;
        const WorkRange range = work_range(facts_, part.part);
        const double growing = std::pow(tokens, phase_.growth.value_or(1));
        predict(phase_, found, part.part,
                phase_.growth ? growing * (is_attention(part.part) ? context : 1)
                              : (range.most > 1 ? range.most : range.least));
      }
      found.could_explain = could_explain();
      // A bound that allows for far more does not confirm the size of the change.
      found.is_sure = !found.is_bound || found.could_explain <= 2;
      found_.push_back(std::move(found));
    } else if (grids_differ(grid_ratio_)) {
      add_other_grids();
      return;
    }
    add_longer_context();
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

  /// A job of fewer ranks that exchange results: each has a larger share of the model.
  void add_other_ranks() {
    const auto [before, after] = facts_.job_ranks;
    const EffortChange* collectives = phase_.effort(Effort::kCollectives);
    if (before == after || before == 0 || after == 0 || collectives == nullptr) return;
    if (!(collectives->count[before > after ? 0 : 1] > 0)) return;
    const double share = static_cast<double>(before) / static_cast<double>(after);
    const KernelSpeed speed = kernel_speed(facts_);
    // Products are divided; norms, and what reads all tokens, are not.
    const double fit = std::log(speed.ratio) / std::log(share);
    if (!speed.is_clear || fit < 0.5 || fit > 1.1) return;
    const auto [normal, abnormal] = facts_.in_order(facts_.job_ranks);
    Explanation found{.verdict = VerdictClass::kWorkloadChanged,
                      .resource = "ranks",
                      .text = fmt::format(
                          "the job runs on {} rank{} instead of {}, so each does {:.2g} times the "
                          "share of the work",
                          abnormal, abnormal == 1 ? "" : "s", normal, facts_.in_order(share)),
                      .has_law = true,
                      .is_bound = true,
                      .has_signal = true,
                      .is_sure = false,  // a rank may be missing only in the recording
                      .is_felt = true,
                      .felt_ratio = speed.ratio,
                      .law_ratio = share};
    for (const PartChange& part : phase_.parts) {
      if (!is_compute_part(part.part)) continue;
      take(phase_, found, part.part);
      double& predicted = found.predicted_ns[static_cast<std::size_t>(part.part)];
      predicted = std::min(predicted, part.before_ns * (share - 1));
    }
    found_.push_back(std::move(found));
  }

  /// Attention alone is slower, with the same kernels and beyond what its tokens explain: it reads
  /// more keys and values.
  void add_longer_context() {
    if (phase_.work.context[0] && phase_.work.context[1]) return;  // known
    const Sum attention = sum_of(phase_, is_attention);
    const Sum others =
        sum_of(phase_, [&](Part part) { return is_compute_part(part) && !is_attention(part); });
    const double ratio = work_range(facts_, part_of(Family::kAttention)).beyond(attention.ratio());
    const bool is_alone = std::abs(std::log(others.ratio())) < 0.2 * std::abs(std::log(ratio));
    if (!(ratio > kContention) || !attention.is_clear || !is_alone || others.before <= 0) return;
    const Replacement replaced = find_replacement(facts_);
    if (replaced.parts.contains(part_of(Family::kAttention))) return;
    Explanation found{
        .verdict = VerdictClass::kWorkloadChanged,
        .resource = "attention",
        .text = fmt::format("attention alone takes {:.2f} times as long with the same kernels: its "
                            "sequences have another length, or else it became {} itself",
                            facts_.in_order(attention.ratio()),
                            facts_.in_order(ratio) > 1 ? "slower" : "faster"),
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

void add_program_explanations(const PhaseFacts& facts, std::vector<Explanation>& found) {
  ProgramFinder(facts, found).find();
}

}  // namespace tactus
