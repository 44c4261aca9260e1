#include "explain/explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "counters/level_words.h"
#include "names/short_name.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr double kClear = 0.05;      // p and q below this are no chance
constexpr double kContention = 1.1;  // kernels, at the clock that they had

double before_of(const PhaseChange& phase, Part part) {
  const PartChange* change = phase.part(part);
  return change == nullptr ? 0 : change->before_ns;
}

/// The time of parts before and after, and whether one of them clearly changed.
struct Sum {
  double before = 0;
  double after = 0;
  bool is_clear = false;

  double ratio() const { return before > 0 ? after / before : after > 0 ? INFINITY : 1; }
};
template <class Wanted>
Sum sum_of(const PhaseChange& phase, int direction, Wanted&& wanted) {
  Sum sum;
  std::size_t tests = 0;
  double least = 1;
  bool any_apart = false;
  for (const PartChange& part : phase.parts) {
    if (!wanted(part.part)) continue;
    sum.before += part.before_ns;
    sum.after += part.after_ns;
    ++tests;
    if (direction * part.delta_ns() <= 0) continue;
    if (part.p) least = std::min(least, *part.p);
    any_apart = any_apart || part.is_apart;
  }
  sum.is_clear = any_apart || least * static_cast<double>(tests) < kClear;
  return sum;
}

/// Kernels that run in each step of one run and never in the other.
struct Replacement {
  std::set<Part> parts;
  const FunctionChange* largest = nullptr;
  double launches = 0;  ///< per step
};

/// A library that switches between kernels inside a run may do so between runs, too.
bool switches_within_a_run(const std::vector<FunctionChange>& functions, Part part) {
  return std::any_of(functions.begin(), functions.end(), [&](const FunctionChange& function) {
    return function.part == part && function.state == Presence::kChanged &&
           ((function.steps[0] > 0.02 && function.steps[0] < 0.9) ||
            (function.steps[1] > 0.02 && function.steps[1] < 0.9));
  });
}

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

/// How many times as many blocks the kernels have that both runs launch, by their time: their grid
/// follows the work, and nothing else on the machine can change it. 1 if it is not known.
double grid_ratio(const PhaseFacts& facts) {
  double known_ns = 0;
  double all_ns = 0;
  double sum = 0;
  for (const FunctionChange& function : facts.functions) {
    if (!is_compute_part(function.part)) continue;
    all_ns += function.ns[0];
    if (function.state != Presence::kChanged || function.blocks[0] <= 0 ||
        function.blocks[1] <= 0) {
      continue;
    }
    known_ns += function.ns[0];
    sum += function.ns[0] * std::log(function.blocks[1] / function.blocks[0]);
  }
  return known_ns > 0.2 * all_ns ? std::exp(sum / known_ns) : 1;
}

class Finder {
 public:
  Finder(const PhaseFacts& facts, int direction)
      : facts_(facts), phase_(facts.phase), direction_(direction) {
    const bool knows_tokens = phase_.work.tokens[0] && phase_.work.tokens[1];
    if (!knows_tokens) grid_ratio_ = grid_ratio(facts);
    // Kernels that do other work say nothing about their speed.
    if (phase_.same_work && !grids_differ()) speed_ = kernel_speed(facts);
  }

  std::vector<Explanation> find() {
    add_workload();
    add_kernels();
    add_syncs();
    for (const Cause& cause : known_causes()) add_cause(cause);
    add_contention_without_signal();
    add_gpu_slower();
    add_slow_copies();
    add_host_slower();
    return std::move(found_);
  }

 private:
  void predict(Explanation& explanation, Part part, double factor) const {
    explanation.predicted_ns[static_cast<std::size_t>(part)] =
        before_of(phase_, part) * (factor - 1);
  }
  /// Without a law, the whole change of the part.
  void take(Explanation& explanation, Part part) const {
    const PartChange* change = phase_.part(part);
    if (change != nullptr) {
      explanation.predicted_ns[static_cast<std::size_t>(part)] = change->delta_ns();
    }
  }

  void add_workload() {
    const auto& [a, b] = phase_.work.tokens;
    const auto& [context_a, context_b] = phase_.work.context;
    const double tokens = a && b && *a > 0 ? *b / *a : 1;
    const double context = context_a && context_b && *context_a > 0 ? *context_b / *context_a : 1;
    const bool tokens_differ = std::abs(std::log(tokens)) > 0.005;
    const bool context_differs = std::abs(std::log(context)) > 0.05;
    if (tokens_differ || context_differs) {
      Explanation found{.verdict = VerdictClass::kWorkloadChanged, .has_law = true};
      found.resource = tokens_differ ? "tokens" : "context_tokens";
      found.text = tokens_differ
                       ? fmt::format("a step works on {:.0f} tokens instead of {:.0f}", *b, *a)
                       : fmt::format("sequences are {:.0f} tokens long instead of {:.0f}",
                                     *context_b, *context_a);
      found.is_felt = true;
      found.has_signal = true;
      const double growth = phase_.growth.value_or(1);
      for (const PartChange& part : phase_.parts) {
        if (is_idle_part(part.part)) continue;
        const bool is_attention = part.part == part_of(Family::kAttention) ||
                                  part.part == part_of(Family::kAttentionCombine);
        const double factor = std::pow(tokens, growth) * (is_attention ? context : 1);
        predict(found, part.part, factor);
      }
      found_.push_back(std::move(found));
      return;
    }
    if (grids_differ()) {
      add_other_grids();
    } else {
      add_longer_context();
    }
  }

  /// More than 5%, where the number of tokens is not known.
  bool grids_differ() const { return std::abs(std::log(grid_ratio_)) > std::log(1.05); }

  void add_other_grids() {
    Explanation found{
        .verdict = VerdictClass::kWorkloadChanged,
        .resource = "grids",
        .text = fmt::format("the same kernels are launched with {:.2f} times as many blocks, so a "
                            "step works on {}",
                            grid_ratio_, grid_ratio_ > 1 ? "more" : "less"),
        .has_signal = true,
        .is_felt = true,
        .felt_ratio = grid_ratio_};
    for (const PartChange& part : phase_.parts) {
      if (!is_idle_part(part.part)) take(found, part.part);
    }
    found_.push_back(std::move(found));
  }

  /// Attention alone is slower, with the same kernels: it reads more keys and values.
  void add_longer_context() {
    if (phase_.work.context[0] && phase_.work.context[1]) return;  // known, and the same
    const auto is_attention = [](Part part) {
      return part == part_of(Family::kAttention) || part == part_of(Family::kAttentionCombine);
    };
    const Sum attention = sum_of(phase_, direction_, is_attention);
    const Sum others = sum_of(phase_, direction_, [&](Part part) {
      return is_compute_part(part) && !is_attention(part);
    });
    const double ratio = attention.ratio();
    const bool is_alone = std::abs(std::log(others.ratio())) < 0.2 * std::abs(std::log(ratio));
    const bool is_longer = direction_ > 0 ? ratio > kContention : ratio < 1 / kContention;
    if (!is_longer || !attention.is_clear || !is_alone || others.before <= 0) return;
    const Replacement replaced = find_replacement(facts_);
    if (replaced.parts.contains(part_of(Family::kAttention))) return;
    Explanation found{
        .verdict = VerdictClass::kWorkloadChanged,
        .resource = "attention",
        .text = fmt::format("attention alone takes {:.2f} times as long with the same "
                            "kernels, as it does with sequences of another length",
                            ratio),
        .is_felt = true,
        .felt_ratio = ratio};
    for (const PartChange& part : phase_.parts) {
      if (is_attention(part.part)) take(found, part.part);
    }
    found_.push_back(std::move(found));
  }

  void add_kernels() {
    if (!facts_.compares_work || !phase_.same_work) return;
    const Replacement replaced = find_replacement(facts_);
    if (replaced.parts.empty()) return;
    const FunctionChange& largest = *replaced.largest;
    Explanation found{
        .verdict = VerdictClass::kKernelsChanged,
        .resource = largest.name,
        .text = fmt::format("other kernels do the work: {} is {}, {:.0f} launches per "
                            "step differ",
                            short_kernel_name(largest.name, decode_kernel_name(largest.name)),
                            largest.state == Presence::kNew ? "new" : "gone", replaced.launches),
        .has_signal = true,
        .is_felt = true};
    for (const Part part : replaced.parts) take(found, part);
    // Other code of the host launches them, and nothing says how long that takes.
    for (const Part part : {Part::kLaunching, Part::kHostCode, Part::kLaunchDelay})
      take(found, part);
    found_.push_back(std::move(found));
  }

  void add_syncs() {
    const EffortChange* waits = phase_.effort(Effort::kWaitCalls);
    if (waits == nullptr || !facts_.compares_work || !facts_.has_host) return;
    const double before = waits->count[direction_ > 0 ? 0 : 1];
    const double after = waits->count[direction_ > 0 ? 1 : 0];
    // At least one more in each step, and more than a loop that differs a little makes.
    if (after < before + 0.9 || after < 1.1 * before || !waits->count_is_apart) return;
    Explanation found{.verdict = VerdictClass::kSyncAdded,
                      .resource = "synchronisation",
                      .text = fmt::format("the host waits for the device {:.3g} times per step "
                                          "instead of {:.3g}",
                                          waits->count[1], waits->count[0]),
                      .has_signal = true,
                      .is_felt = true};
    for (const PartChange& part : phase_.parts) {
      if (is_idle_part(part.part)) take(found, part.part);
    }
    found_.push_back(std::move(found));
  }

  const CounterShift* find_counter_shift(std::string_view counter,
                                         const std::string& device) const {
    for (const CounterShift& shift : facts_.counters) {
      if (shift.counter == counter && (device.empty() || shift.device == device)) return &shift;
    }
    return nullptr;
  }

  /// Only counters of this rank's device, of its host, or of no rank.
  bool concerns_this_rank(const CounterShift& shift) const {
    return !shift.rank || !facts_.rank.rank || *shift.rank == *facts_.rank.rank;
  }

  struct Moved {
    const CounterShift* shift = nullptr;
    const Signal* signal = nullptr;
    double factor = 1;  ///< of the time that it predicts; 1 without a law
    double strength = 0;
  };

  /// How far a signal moved in the harmful direction, without the run's own use.
  std::optional<Moved> moved(const Signal& signal, const CounterShift& shift) const {
    if (!shift.moved() || !concerns_this_rank(shift)) return std::nullopt;
    const int harm = signal.harm == Harm::kDown ? -1 : 1;
    double ratio = shift.ratio.ratio;
    std::array<double, 2> level = shift.mean;
    if (signal.own == OwnUse::kFollowsStep) {
      // Each step makes as much as before.
      const double own = level[0] / phase_.typical.ratio;
      const double floor = shift.fact != nullptr ? shift.fact->floor : 0;
      if (direction_ > 0 && level[1] < 1.25 * own + floor) return std::nullopt;
      if (direction_ < 0 && level[1] > own / 1.25 - floor) return std::nullopt;
      ratio /= 1 / phase_.typical.ratio;
    }
    if (!signal.own_counter.empty()) {
      const CounterShift* own = find_counter_shift(signal.own_counter, "");
      if (signal.own == OwnUse::kCounter) {
        own = find_counter_shift(signal.own_counter, shift.device);
        if (own == nullptr) return std::nullopt;  // what we do not know may be our own
        level = {shift.mean[0] - own->mean[0], shift.mean[1] - own->mean[1]};
        const double floor = shift.fact != nullptr ? shift.fact->floor : 0;
        if (direction_ * (level[1] - level[0]) < floor) return std::nullopt;
        ratio = (std::max(0.0, level[1]) + floor) / (std::max(0.0, level[0]) + floor);
      } else if (own != nullptr && own->mean[0] > 0) {
        // At most all of the normal level was our own.
        const double ours = level[0] * own->mean[1] / own->mean[0];
        level[1] = std::max(level[0], level[1] - std::max(0.0, ours - level[0]));
        ratio = std::min(ratio, (level[1] + 1) / (level[0] + 1));
      }
    }
    const double strength = direction_ * harm * std::log(ratio);
    if (!(strength > std::log(signal.least))) return std::nullopt;
    Moved found{.shift = &shift, .signal = &signal, .strength = strength};
    if (signal.law == Law::kInverse) {
      found.factor = shift.slowness[0] > 0 ? shift.slowness[1] / shift.slowness[0] : 1;
    } else if (signal.law == Law::kShareLeft) {
      const double whole = shift.fact != nullptr && shift.fact->unit == "us/s" ? 1e6 : 100;
      const auto left = [&](double taken) { return std::max(0.02, 1 - taken / whole); };
      found.factor = left(level[0]) / left(level[1]);
    }
    return found;
  }

  /// Whether what a cause slows became slower, and how much.
  void set_felt(Slows slows, Explanation& explanation) const {
    const Sum sum = sum_of(phase_, direction_, [&](Part part) { return is_slowed(slows, part); });
    double ratio = sum.ratio();
    bool is_clear = sum.is_clear;
    const auto look_at = [&](Effort effort) {
      const EffortChange* change = phase_.effort(effort);
      if (change == nullptr || !(change->each.excludes_1() || change->is_apart)) return;
      if (direction_ * std::log(change->each.ratio) <= direction_ * std::log(ratio)) return;
      ratio = change->each.ratio;
      is_clear = true;
    };
    if (slows == Slows::kKernels) {
      ratio = speed_.ratio;
      is_clear = speed_.is_clear;
    }
    if (slows == Slows::kDevice && !is_contention()) {
      // Devices that take turns between processes let work wait instead of running it slowly.
      const Sum waiting =
          sum_of(phase_, direction_, [](Part part) { return part == Part::kLaunchDelay; });
      const double delay = direction_ * (waiting.after - waiting.before);
      ratio = waiting.ratio();
      is_clear = waiting.is_clear && delay > 0.1 * phase_.mean_ns[0];
    }
    if (slows == Slows::kLinks) look_at(Effort::kCollectives);
    if (slows == Slows::kHost) look_at(Effort::kLaunchCalls);
    if (slows == Slows::kCopies) {
      look_at(Effort::kCopiesToDevice);
      look_at(Effort::kCopiesFromDevice);
    }
    explanation.felt_ratio = ratio;
    explanation.is_felt = is_clear && direction_ * std::log(ratio) > 0;
  }

  void add_cause(const Cause& cause) {
    std::optional<Moved> best;
    for (const Signal& signal : cause.signals) {
      for (const CounterShift& shift : facts_.counters) {
        if (shift.counter != signal.counter) continue;
        const std::optional<Moved> here = moved(signal, shift);
        // The one that predicts most; without a law, the one that moved most.
        const auto rank = [&](const Moved& which) {
          return std::pair(direction_ * std::log(which.factor), which.strength);
        };
        if (here && (!best || rank(*here) > rank(*best))) best = here;
      }
    }
    if (!best) return;
    Explanation found{.verdict = cause.verdict,
                      .resource = best->shift->counter,
                      .device = best->shift->device,
                      .has_law = best->signal->law != Law::kNone,
                      .has_signal = true,
                      .law_ratio = best->factor};
    const CounterShift& shift = *best->shift;
    found.text = fmt::format(
        "{} of {} ({}) {}", shift.counter, shift.device.empty() ? "the machine" : shift.device,
        shift.fact == nullptr ? std::string_view() : shift.fact->meaning,
        move_words(
            shift.ratio.ratio, shift.middle[0], shift.middle[1],
            facts_.in_units && shift.fact != nullptr ? shift.fact->unit : std::string_view()));
    set_felt(cause.slows, found);
    if (found.has_law && cause.slows == Slows::kHost) {
      predict_host(best->factor, found);
    } else {
      for (const PartChange& part : phase_.parts) {
        if (!is_slowed(cause.slows, part.part)) continue;
        if (found.has_law) {
          predict(found, part.part, best->factor);
        } else {
          take(found, part.part);
        }
      }
    }
    found_.push_back(std::move(found));
  }

  /// The host needs its own time of a step, factor times as long. What of it the device hides does
  /// not show; beyond that, each moment is one in which the device idles.
  void predict_host(double factor, Explanation& explanation) const {
    const EffortChange* waits = phase_.effort(Effort::kWaitCalls);
    const double step = phase_.mean_ns[0];
    const double host = std::max(0.0, step - (waits == nullptr ? 0 : waits->ns[0]));
    double idle = 0;
    double moved = 0;
    for (const PartChange& part : phase_.parts) {
      if (!is_idle_part(part.part)) continue;
      idle += part.before_ns;
      if (direction_ * part.delta_ns() > 0) moved += part.delta_ns();
    }
    // A step cannot become shorter than the work of the device.
    const double change = std::max(host * factor, direction_ > 0 ? step : step - idle) - step;
    if (moved == 0) return;
    for (const PartChange& part : phase_.parts) {
      if (!is_idle_part(part.part) || direction_ * part.delta_ns() <= 0) continue;
      explanation.predicted_ns[static_cast<std::size_t>(part.part)] =
          part.delta_ns() / moved * change;
    }
  }

  /// What the clock of this rank's device predicts for kernels; 1 if it did not move.
  double clock_factor() const {
    for (const CounterShift& shift : facts_.counters) {
      if (shift.counter != "gpu_sm_frequency" && shift.counter != "gpu_frequency") continue;
      if (!concerns_this_rank(shift) || shift.slowness[0] <= 0) continue;
      return shift.slowness[1] / shift.slowness[0];
    }
    return 1;
  }

  /// Kernels of most families are slower than their clock explains.
  bool is_contention() const {
    const double rest = speed_.ratio / clock_factor();
    const bool is_far = direction_ > 0 ? rest > kContention : rest < 1 / kContention;
    return is_far && speed_.is_clear && speed_.share_of_families > 0.5;
  }

  bool has(VerdictClass verdict) const {
    return std::any_of(found_.begin(), found_.end(), [&](const Explanation& explanation) {
      return explanation.verdict == verdict && explanation.is_felt;
    });
  }

  /// A cause that is felt, and large enough.
  bool fits(VerdictClass verdict) const {
    return std::any_of(found_.begin(), found_.end(), [&](const Explanation& explanation) {
      return explanation.verdict == verdict && explanation.is_felt && explanation.fits();
    });
  }

  void add_contention_without_signal() {
    if (direction_ < 0 || !facts_.has_clock || has(VerdictClass::kGpuContention)) return;
    if (!is_contention()) return;
    Explanation found{.verdict = VerdictClass::kGpuContention,
                      .resource = "kernels",
                      .device = facts_.rank.device,
                      .text = fmt::format("the same kernels take {:.2f} times as long at the clock "
                                          "that they had, so something else uses the device",
                                          speed_.ratio / clock_factor()),
                      .is_felt = true,
                      .felt_ratio = speed_.ratio};
    for (const PartChange& part : phase_.parts) {
      if (is_compute_part(part.part)) take(found, part.part);
    }
    found_.push_back(std::move(found));
  }

  void add_gpu_slower() {
    if (facts_.has_clock || !speed_.is_clear || speed_.share_of_families <= 0.5) return;
    if (direction_ * std::log(speed_.ratio) < std::log(1.03)) return;
    Explanation found{.verdict = VerdictClass::kGpuSlower,
                      .resource = "kernels",
                      .device = facts_.rank.device,
                      .text = fmt::format("all kernels take {:.2f} times as long; the clock of the "
                                          "device and who else uses it would settle why",
                                          speed_.ratio),
                      .is_felt = true,
                      .felt_ratio = speed_.ratio};
    for (const PartChange& part : phase_.parts) {
      if (is_compute_part(part.part)) predict(found, part.part, speed_.ratio);
    }
    found_.push_back(std::move(found));
  }

  /// The same bytes at fewer bytes per second.
  void add_slow_copies() {
    if (has(VerdictClass::kPcie)) return;
    for (const Effort effort : {Effort::kCopiesToDevice, Effort::kCopiesFromDevice}) {
      const EffortChange* copies = phase_.effort(effort);
      if (copies == nullptr || !copies->has_rate || !copies->rate.excludes_1()) continue;
      const double slower = 1 / copies->rate.ratio;
      if (direction_ * std::log(slower) < std::log(kContention)) continue;
      const Part part =
          effort == Effort::kCopiesToDevice ? Part::kCopyToDevice : Part::kCopyFromDevice;
      Explanation found{.verdict = VerdictClass::kPcie,
                        .resource = std::string(part_name(part)),
                        .device = facts_.rank.device,
                        .text = fmt::format("the same {} run at {:.2f} of their bytes per second; "
                                            "the traffic over PCIe would settle why",
                                            part_name(part), copies->rate.ratio),
                        .has_law = true,
                        .is_felt = true,
                        .felt_ratio = slower};
      predict(found, part, slower);
      found_.push_back(std::move(found));
      return;
    }
  }

  /// Launches and the code around them are slower by one factor; or the code alone is.
  void add_host_slower() {
    if (!facts_.has_host) return;
    if (fits(VerdictClass::kCpuContention) || fits(VerdictClass::kCpuFrequency)) return;
    const EffortChange* launches = phase_.effort(Effort::kLaunchCalls);
    const bool is_known =
        launches != nullptr && (launches->each.excludes_1() || launches->is_apart);
    const double factor = is_known ? launches->each.ratio : 1;
    Sum code = sum_of(phase_, direction_, is_host_part);
    code.is_clear = phase_.host.is_clear();
    Explanation found{.verdict = VerdictClass::kHostSlower, .is_felt = true};
    if (direction_ * std::log(factor) > std::log(1.05)) {
      found.resource = "launch calls";
      found.felt_ratio = factor;
      found.text = fmt::format(
          "a launch takes {:.2f} times as long, and the device waits {:.2f} times as long for the "
          "host; load and clock of the CPU would settle why",
          factor, code.ratio());
    } else if (direction_ > 0 && launches != nullptr && code.is_clear && code.ratio() > 1) {
      found.resource = "host code";
      found.felt_ratio = code.ratio();
      found.text = fmt::format(
          "the device waits {:.2f} times as long for code of the host, while launches take as long "
          "as before; stacks or a profile of the host would show which code",
          code.ratio());
    } else {
      return;
    }
    for (const PartChange& part : phase_.parts) {
      if (is_host_part(part.part)) take(found, part.part);
    }
    found_.push_back(std::move(found));
  }

  const PhaseFacts& facts_;
  const PhaseChange& phase_;
  int direction_;
  KernelSpeed speed_;
  double grid_ratio_ = 1;  ///< only where tokens are not known
  std::vector<Explanation> found_;
};

}  // namespace

KernelSpeed kernel_speed(const PhaseFacts& facts) {
  const Replacement replaced = find_replacement(facts);
  std::vector<std::pair<double, double>> ratios;  // and their weights
  double total = 0;
  for (const PartChange& part : facts.phase.parts) {
    if (!is_compute_part(part.part) || replaced.parts.contains(part.part)) continue;
    if (!(part.before_ns > 0) || !(part.after_ns > 0)) continue;
    ratios.emplace_back(part.after_ns / part.before_ns, part.before_ns);
    total += part.before_ns;
  }
  KernelSpeed speed;
  speed.ratio = weighted_median(ratios).value_or(1);
  const double half = 0.5 * std::log(speed.ratio);
  double moved = 0;
  for (const auto& [ratio, weight] : ratios) {
    if (std::log(ratio) * half > 0 && std::abs(std::log(ratio)) >= std::abs(half)) moved += weight;
  }
  // A single family is enough only if it is all there is.
  speed.share_of_families = total > 0 ? moved / total : 0;
  speed.is_clear = facts.phase.kernels.is_clear() && facts.phase.kernels.delta_ns() * half > 0;
  return speed;
}

std::vector<Explanation> find_explanations(const PhaseFacts& facts, int direction) {
  return Finder(facts, direction).find();
}

void share_out(const PhaseChange& phase, int direction, std::vector<Explanation>& explanations) {
  const double total = direction * phase.delta_ns();
  if (!(total > 0)) return;
  for (const PartChange& part : phase.parts) {
    const double change = direction * part.delta_ns();
    if (!(change > 0)) continue;
    Explanation* best = nullptr;
    double most = 0;
    for (Explanation& explanation : explanations) {
      if (!explanation.is_felt) continue;
      const double predicted =
          direction * explanation.predicted_ns[static_cast<std::size_t>(part.part)];
      if (predicted <= most) continue;
      most = predicted;
      best = &explanation;
    }
    if (best != nullptr) best->share += std::min(most, change) / total;
  }
  for (Explanation& explanation : explanations)
    explanation.share = std::min(1.0, explanation.share);
}

}  // namespace tactus
