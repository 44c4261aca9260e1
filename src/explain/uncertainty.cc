#include "explain/uncertainty.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/comparison_rows.h"
#include "judge/shape.h"

namespace tactus {
namespace {

constexpr std::size_t kTailSteps = 299;  // from here on, steps show their p99

/// Many steps show how long the slowest of them take: "none" is about those, too, but a few stalls
/// of a healthy server leave their p99 open by half.
bool has_open_tail(const PhaseChange& phase) {
  if (std::min(phase.steps[0], phase.steps[1]) < kTailSteps || !phase.tail) return false;
  return phase.tail->low < 1 - kSameWithin || phase.tail->high > 1 + kSameWithin;
}

/// It is open, and by what is known it is another one.
bool has_other_tail(const PhaseChange& phase) {
  if (!has_open_tail(phase)) return false;
  const auto& [ratio, low, high] = *phase.tail;
  return low > 1 || high < 1 || std::max(ratio, 1 / ratio) >= kLargeLevel;
}

bool has_same_mean(const PhaseChange& phase) {
  return phase.mean.lies_within(kSameWithin) || phase.is_level;
}

std::string steps_of(const PhaseChange& phase) {
  return phase.phase == Phase::kUnknown ? "steps" : phase_text(phase.phase) + " steps";
}

}  // namespace

bool is_about_tail(const PhaseChange& phase) {
  return has_same_mean(phase) && has_other_tail(phase);
}

const PhaseChange* first_uncertain(const Judgement& judgement) {
  for (const PhaseChange& phase : judgement.job) {
    if (phase.normal_share < kCountsFrom) continue;
    if (!has_same_mean(phase) || has_other_tail(phase)) return &phase;
    if (phase.more_pauses() > kSameWithin) return &phase;
  }
  return nullptr;
}

std::string open_tail_words(const Judgement& judgement) {
  for (const PhaseChange& phase : judgement.job) {
    if (phase.normal_share < kCountsFrom || !has_open_tail(phase)) continue;
    return fmt::format(
        "the slowest 1% of its {} are too few to judge (ratio {:.2f}, {:.2f} to {:.2f})",
        steps_of(phase), phase.tail->ratio, phase.tail->low, phase.tail->high);
  }
  return {};
}

std::string why_uncertain(const PhaseChange& phase) {
  if (phase.more_pauses() > kSameWithin || phase.has_other_mix()) {
    return fmt::format(
        "behind its {} the run pauses for {:.3g} ms per step instead of {:.3g} ms; it had no "
        "requests, or something held it up that was not recorded",
        steps_of(phase), phase.pause_ns[1] / 1e6, phase.pause_ns[0] / 1e6);
  }
  if (is_about_tail(phase)) {
    return fmt::format("the slowest 1% of its {} take {:.2f} times as long ({:.2f} to {:.2f})",
                       steps_of(phase), phase.tail->ratio, phase.tail->low, phase.tail->high);
  }
  return record_more(phase);
}

std::string record_more(const PhaseChange& phase) {
  const std::string steps = steps_of(phase);
  if (phase.shape.has_levels() || phase.normal_shape.has_levels()) {
    return fmt::format(
        "{} do not stay at one level, so more of them do not help; compare parts of the run "
        "(--from, --to)",
        steps);
  }
  if (phase.typical.lies_within(kSameWithin)) {
    return fmt::format(
        "on average that is not certain ({:.2f} to {:.2f}), because a few {} take far longer than "
        "the others",
        phase.mean.low.value_or(0), phase.mean.high.value_or(INFINITY), steps);
  }
  // As many as there are were not enough.
  const bool is_too_few = phase.typical.reason == NoInterval::kTooFew;
  const std::size_t at_least = is_too_few ? 0 : 2 * std::min(phase.steps[0], phase.steps[1]);
  return fmt::format("{} and {} {} are too {} to judge by; record {} of each", phase.steps[0],
                     phase.steps[1], steps, is_too_few ? "few" : "noisy",
                     phase.needed == 0 ? "several runs"
                                       : fmt::format("about {}", std::max(phase.needed, at_least)));
}

}  // namespace tactus
