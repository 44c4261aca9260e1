#include "judge/reversed.h"

#include <utility>

namespace tactus {
namespace {

void reverse(PartChange& part) {
  std::swap(part.before_ns, part.after_ns);
}

void reverse(EffortChange& effort) {
  std::swap(effort.count[0], effort.count[1]);
  std::swap(effort.ns[0], effort.ns[1]);
  std::swap(effort.bytes[0], effort.bytes[1]);
  effort.each = reversed(effort.each);
  effort.rate = reversed(effort.rate);
}

}  // namespace

Ratio reversed(Ratio ratio) {
  const auto inverse = [](std::optional<double> value) {
    return value && *value > 0 ? std::optional(1 / *value) : std::nullopt;
  };
  ratio.ratio = 1 / ratio.ratio;
  ratio.low = inverse(std::exchange(ratio.high, inverse(ratio.low)));
  return ratio;
}

PhaseChange reversed(PhaseChange change) {
  std::swap(change.steps[0], change.steps[1]);
  std::swap(change.all_steps[0], change.all_steps[1]);
  std::swap(change.mean_ns[0], change.mean_ns[1]);
  for (Ratio* ratio : {&change.typical, &change.trimmed, &change.mean, &change.host_over_launch}) {
    *ratio = reversed(*ratio);
  }
  if (change.tail) {
    change.tail = {.ratio = 1 / change.tail->ratio,
                   .low = 1 / change.tail->high,
                   .high = 1 / change.tail->low};
  }
  std::swap(change.work.tokens[0], change.work.tokens[1]);
  std::swap(change.work.sequences[0], change.work.sequences[1]);
  std::swap(change.work.context[0], change.work.context[1]);
  for (PartChange& part : change.parts) reverse(part);
  reverse(change.kernels);
  reverse(change.host);
  for (EffortChange& effort : change.efforts) reverse(effort);
  return change;
}

FunctionChange reversed(FunctionChange change) {
  if (change.state != Presence::kChanged) {
    change.state = change.state == Presence::kNew ? Presence::kGone : Presence::kNew;
  }
  for (std::array<double, 2>* values : {&change.ns, &change.count, &change.steps, &change.blocks}) {
    std::swap((*values)[0], (*values)[1]);
  }
  return change;
}

CounterShift reversed(CounterShift shift) {
  for (std::array<double, 2>* values : {&shift.middle, &shift.mean, &shift.slowness}) {
    std::swap((*values)[0], (*values)[1]);
  }
  std::swap(shift.samples[0], shift.samples[1]);
  std::swap(shift.coverage[0], shift.coverage[1]);
  shift.ratio = reversed(shift.ratio);
  return shift;
}

}  // namespace tactus
