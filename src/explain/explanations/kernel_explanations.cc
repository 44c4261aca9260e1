// Kernels that the program launches otherwise: others, more of them, or such that take longer
// although all others do not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/explanations/explanation_parts.h"
#include "names/short_name.h"

namespace tactus {
namespace {

std::string short_name(const FunctionChange& function) {
  return short_kernel_name(function.name, decode_kernel_name(function.name));
}

/// A library that switches between kernels inside a run may do so between runs, too.
bool switches_within_a_run(const std::vector<FunctionChange>& functions, Part part) {
  return std::any_of(functions.begin(), functions.end(), [&](const FunctionChange& function) {
    return function.part == part && function.state == Presence::kChanged &&
           ((function.steps[0] > 0.02 && function.steps[0] < 0.9) ||
            (function.steps[1] > 0.02 && function.steps[1] < 0.9));
  });
}

/// Nearly all steps of one run launch more kernels than those of the other.
bool launches_differ(const PhaseChange& phase) {
  const EffortChange* kernels = phase.effort(Effort::kKernels);
  return kernels != nullptr && kernels->count_is_apart && kernels->count[0] > 0;
}

class KernelFinder {
 public:
  KernelFinder(const PhaseFacts& facts, std::vector<Explanation>& found)
      : facts_(facts), phase_(facts.phase), replaced_(find_replacement(facts)), found_(found) {}

  void find() {
    if (!facts_.compares_work) return;
    add_more_launches();
    // Libraries and compilers have other kernels for other sizes.
    if (!phase_.same_work || grids_differ(grid_ratio(facts_))) return;
    add_other_kernels();
    add_other_launches();
    add_slower_kernels();
  }

 private:
  /// The same kernels, more often in each step: all of them, or some. Each takes as long as before.
  void add_more_launches() {
    if (!launches_differ(phase_) || !replaced_.parts.empty()) return;
    const EffortChange& kernels = *phase_.effort(Effort::kKernels);
    if (!(kernels.count[1] > kernels.count[0])) return;
    Explanation found{.resource = "launches", .has_law = true, .has_signal = true, .is_felt = true};
    double before = 0;
    double more_of = 0;  // time of kernels that are launched more often
    double most = 0;
    const FunctionChange* largest = nullptr;
    for (const FunctionChange& function : facts_.functions) {
      if (!is_compute_part(function.part) || !(function.count[0] > 0)) continue;
      before += function.ns[0];
      const double ns =
          (function.count[1] - function.count[0]) * function.ns[0] / function.count[0];
      if (is_as_often(function) || !(ns > 0)) continue;
      more_of += function.ns[0];
      found.predicted_ns[static_cast<std::size_t>(function.part)] += ns;
      if (largest == nullptr || ns > most) {
        largest = &function;
        most = ns;
      }
    }
    if (largest == nullptr) return;
    const double ratio = kernels.count[1] / kernels.count[0];
    predict(phase_, found, Part::kLaunching, ratio);
    const auto [normal, abnormal] = facts_.in_order(kernels.count);
    if (more_of > 0.5 * before) {
      found.verdict = VerdictClass::kWorkloadChanged;
      found.text = fmt::format("a step launches {:.0f} kernels instead of {:.0f}, and no others",
                               abnormal, normal);
    } else {
      const auto [few, many] = facts_.in_order(largest->count);
      found.verdict = VerdictClass::kKernelsChanged;
      found.resource = largest->name;
      found.text = fmt::format("a step launches {} {:.3g} times instead of {:.3g}",
                               short_name(*largest), many, few);
    }
    found.felt_ratio = found.law_ratio = ratio;
    found_.push_back(std::move(found));
  }

  /// "a is gone and b is new", the largest of each.
  std::string came_and_went() const {
    const auto [gone, made] = facts_.in_order(replaced_.largest_of);
    if (made == nullptr) return short_name(*gone) + " is gone";
    if (gone == nullptr) return short_name(*made) + " is new";
    return fmt::format("{} is gone and {} is new", short_name(*gone), short_name(*made));
  }

  void add_other_kernels() {
    if (replaced_.parts.empty()) return;
    const FunctionChange& largest = *replaced_.largest;
    const EffortChange* kernels = phase_.effort(Effort::kKernels);
    const std::size_t side = replaced_.launches[1] > 0 ? 1 : 0;
    std::string how_many;
    if (kernels != nullptr && kernels->count[side] > 0) {
      how_many = fmt::format(", and {:.0f} of {:.0f} launches per step are of other kernels",
                             replaced_.launches[side], kernels->count[side]);
    }
    Explanation found{
        .verdict = VerdictClass::kKernelsChanged,
        .resource = largest.name,
        .text = fmt::format("other kernels do the work: {}{}", came_and_went(), how_many),
        .has_signal = true,
        .is_felt = true};
    for (const Part part : replaced_.parts) take(phase_, found, part);
    // Other code of the host launches them, and nothing says how long that takes. A few that are
    // launched as often as those they replace do not change that code.
    const bool is_few =
        kernels != nullptr &&
        std::max(replaced_.launches[0], replaced_.launches[1]) < 0.1 * kernels->count[0];
    for (const Part part : {Part::kLaunching, Part::kHostCode, Part::kLaunchDelay}) {
      if (!is_few) take(phase_, found, part);
    }
    found_.push_back(std::move(found));
  }

  /// The same kernels by more calls: a CUDA graph that is gone, or kernels that were one graph.
  void add_other_launches() {
    const EffortChange* calls = phase_.effort(Effort::kLaunchCalls);
    const EffortChange* kernels = phase_.effort(Effort::kKernels);
    if (calls == nullptr || kernels == nullptr || launches_differ(phase_)) return;
    if (!facts_.has_host || !calls->count_is_apart || !(calls->count[0] > 0)) return;
    if (!(calls->count[1] > 1.1 * calls->count[0] + 1)) return;
    // Each call launches at least one of them.
    if (calls->count[1] > 1.1 * kernels->count[1] + 1) return;
    const auto [normal, abnormal] = facts_.in_order(calls->count);
    const auto calls_words = [](double count) {
      return count == 1 ? std::string("one call") : fmt::format("{:.3g} calls", count);
    };
    Explanation found{
        .verdict = VerdictClass::kKernelsChanged,
        .resource = "launches",
        .text = fmt::format("{} per step launch what {} launched before, as {} CUDA graphs",
                            calls_words(abnormal), calls_words(normal),
                            abnormal > normal ? "without" : "with"),
        .has_signal = true,
        .is_felt = true};
    for (const Part part : {Part::kLaunching, Part::kHostCode, Part::kLaunchDelay}) {
      take(phase_, found, part);
    }
    found_.push_back(std::move(found));
  }

  /// Some kernels take longer, launched as often with as many blocks, and the others do not: the
  /// rest of the machine did not change for them, so it is something about these.
  void add_slower_kernels() {
    if (!knows_work(facts_)) return;
    double slower[2] = {0, 0};
    double others[2] = {0, 0};
    const FunctionChange* largest = nullptr;
    std::set<Part> parts;
    std::size_t names = 0;
    Explanation found{
        .verdict = VerdictClass::kKernelsChanged, .is_felt = true, .is_on_device = true};
    for (const FunctionChange& function : facts_.functions) {
      if (!is_compute_part(function.part)) continue;
      const bool is_slower = is_slower_alone(function);
      for (std::size_t side = 0; side < 2; ++side) {
        (is_slower ? slower : others)[side] += function.ns[side];
      }
      if (!is_slower) continue;
      if (largest == nullptr) largest = &function;  // largest change first
      ++names;
      parts.insert(function.part);
      found.predicted_ns[static_cast<std::size_t>(function.part)] += function.delta_ns();
    }
    if (largest == nullptr || !(others[0] > 0) || !(others[1] > 0)) return;
    const double ratio = slower[1] / slower[0];
    // What slows a whole device would slow others, too.
    const bool is_alone =
        std::abs(std::log(others[1] / others[0])) < 0.2 * std::abs(std::log(ratio));
    if (!(ratio > kFelt) || !is_alone || could_be_device(parts)) return;
    const double shown = facts_.in_order(largest->each_ratio());
    found.resource = largest->name;
    found.felt_ratio = ratio;
    found.text = fmt::format(
        "{} takes {:.2f} times as long{}, launched as often with as many blocks, and other kernels "
        "take as long as before: its code, its data or its settings differ",
        short_name(*largest), shown, names > 1 ? fmt::format(", {} more likewise", names - 1) : "");
    found_.push_back(std::move(found));
  }

  bool is_slower_alone(const FunctionChange& function) const {
    if (function.state != Presence::kChanged || !is_as_often(function)) return false;
    const bool knows_blocks = function.blocks[0] > 0 && function.blocks[1] > 0;
    if (knows_blocks && grids_differ(function.blocks[1] / function.blocks[0])) return false;
    return function.q && *function.q < kClear && function.each_ratio() > kFelt;
  }

  /// A lower clock slows what computing limits and leaves the rest, and other traffic slows what
  /// memory limits: if all families that one of the two limits are slower, it may be that.
  bool could_be_device(const std::set<Part>& slower) const {
    constexpr double kCounts = 0.05;  // of the time of those that have the same limit
    for (const LimitedBy limit : {LimitedBy::kCompute, LimitedBy::kMemory}) {
      const auto is_of = [&](const PartChange& part) {
        return is_compute_part(part.part) && limit_of(facts_, part.part) == limit;
      };
      double all = 0;
      for (const PartChange& part : phase_.parts) all += is_of(part) ? part.before_ns : 0;
      std::size_t families = 0;
      bool are_these = true;
      for (const PartChange& part : phase_.parts) {
        const bool is_slower = slower.contains(part.part);
        if (is_of(part) && part.before_ns >= kCounts * all) {
          ++families;
          are_these = are_these && is_slower;
        } else if (is_slower && !is_of(part)) {
          are_these = false;
        }
      }
      // One family of many alone is no device; products alone may be all that computing limits.
      const bool is_known = limit == LimitedBy::kCompute && facts_.has_clock;
      if (!is_known && are_these && families >= (limit == LimitedBy::kCompute ? 1U : 2U))
        return true;
    }
    return false;
  }

  const PhaseFacts& facts_;
  const PhaseChange& phase_;
  const Replacement replaced_;
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
    found.launches[side] += function.count[side];
    const FunctionChange*& of_side = found.largest_of[side];
    if (of_side == nullptr || function.ns[side] > of_side->ns[side]) of_side = &function;
    if (found.largest == nullptr ||
        function.ns[side] > found.largest->ns[found.largest->state == Presence::kNew ? 1 : 0]) {
      found.largest = &function;
    }
  }
  return found;
}

double launch_ratio(const PhaseFacts& facts, Part part) {
  if (!launches_differ(facts.phase) || !find_replacement(facts).parts.empty()) return 1;
  double before = 0;
  double after = 0;
  for (const FunctionChange& function : facts.functions) {
    if (function.part != part) continue;
    before += function.count[0];
    after += function.count[1];
  }
  return before > 0 && after > 0 ? after / before : 1;
}

void add_kernel_explanations(const PhaseFacts& facts, std::vector<Explanation>& found) {
  KernelFinder(facts, found).find();
}

}  // namespace tactus
