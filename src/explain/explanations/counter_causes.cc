#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "counters/level_words.h"
#include "explain/explanations/explanation_parts.h"
#include "explain/explanations/resource_facts.h"
#include "stats/tests.h"

namespace tactus {
namespace {

/// "kernels take 1.53 times as long". A ratio to nearly nothing says no more than that.
std::string felt_words(std::string_view what, double ratio) {
  if (ratio > 10) return fmt::format("{} take more than 10 times as long", what);
  if (ratio < 1) return fmt::format("{} take {:.0f}% of the time they took", what, 100 * ratio);
  return fmt::format("{} take {:.2f} times as long", what, ratio);
}

/// What a cause slows.
std::string_view slowed_words(Slows slows) {
  switch (slows) {
    case Slows::kKernels:
    case Slows::kMemory:
    case Slows::kDevice: return "kernels";
    case Slows::kLinks: return "collectives";
    case Slows::kCopies: return "copies";
    case Slows::kHost:
    case Slows::kCores: return "calls and code of the host";
    case Slows::kProcess: return "steps";
  }
  return {};
}

class CounterCauses {
 public:
  CounterCauses(const ResourceFacts& facts, std::vector<Explanation>& found)
      : facts_(facts), found_(found) {}

  void find() {
    find_moved();
    for (const Cause& cause : known_causes()) add_cause(cause);
  }

 private:
  struct Moved {
    const CounterShift* shift = nullptr;
    const Signal* signal = nullptr;
    double factor = 1;  ///< of the time that it predicts; 1 without a law
    double strength = 0;
  };

  /// Counters are tested for what became slower, so only those that can show a cause of that count
  /// as tests, and those of one family as one.
  void find_moved() {
    std::map<std::string, std::pair<double, std::vector<const CounterShift*>>> families;
    for (const Cause& cause : known_causes()) {
      Explanation felt;
      set_felt(cause.slows, felt);
      if (!felt.is_felt) continue;
      for (const Signal& signal : cause.signals) {
        for (const CounterShift& shift : facts_.facts.counters) {
          if (shift.counter != signal.counter || !shift.ratio.p ||
              !facts_.concerns_this_rank(shift)) {
            continue;
          }
          const std::string_view family =
              shift.fact != nullptr ? shift.fact->family : std::string_view(shift.counter);
          auto& [least, members] = families[fmt::format("{} of {}", family, shift.device)];
          least = members.empty() ? *shift.ratio.p : std::min(least, *shift.ratio.p);
          members.push_back(&shift);
        }
      }
    }
    std::vector<double> p_values;
    p_values.reserve(families.size());
    for (const auto& [name, family] : families) p_values.push_back(family.first);
    const std::vector<double> q = benjamini_hochberg(p_values);
    std::size_t at = 0;
    for (const auto& [name, family] : families) {
      for (const CounterShift* shift : family.second) {
        if (std::max(*shift->ratio.p, q[at]) < kClear) moved_.insert(shift);
      }
      ++at;
    }
  }

  /// How many times as many bytes a step moves itself, over what a cause slows; 1 if not known.
  double own_growth(Slows slows) const {
    std::array<double, 2> bytes = {0, 0};
    const auto add = [&](Effort effort) {
      const EffortChange* moved = facts_.phase.effort(effort);
      if (moved == nullptr) return;
      bytes[0] += moved->bytes[0];
      bytes[1] += moved->bytes[1];
    };
    if (slows == Slows::kLinks) add(Effort::kCollectives);
    if (slows == Slows::kCopies) {
      add(Effort::kCopiesToDevice);
      add(Effort::kCopiesFromDevice);
    }
    return bytes[0] > 0 && bytes[1] > 0 ? bytes[1] / bytes[0] : 1;
  }

  /// How far a signal moved in the harmful direction, without the run's own use.
  std::optional<Moved> moved(const Signal& signal, const CounterShift& shift, Slows slows) const {
    if (!(shift.moved() || moved_.contains(&shift)) || !facts_.concerns_this_rank(shift)) {
      return std::nullopt;
    }
    const int harm = signal.harm == Harm::kDown ? -1 : 1;
    double ratio = shift.ratio.ratio;
    std::array<double, 2> level = shift.mean;
    if (signal.own == OwnUse::kFollowsStep) {
      // Each step makes as much as before, or as much more as it moves more bytes; so its rate
      // rises where steps are faster. Where they are slower, it may be that all of it is of others:
      // then it does not fall.
      const double growth = std::max(1.0, own_growth(slows) / facts_.phase.typical.ratio);
      const double floor = shift.fact != nullptr ? shift.fact->floor : 0;
      if (level[1] < 1.25 * level[0] * growth + floor) return std::nullopt;
      ratio /= growth;
    }
    if (!signal.own_counter.empty()) {
      const CounterShift* own = facts_.find_counter_shift(signal.own_counter, "");
      if (signal.own == OwnUse::kCounter) {
        own = facts_.find_counter_shift(signal.own_counter, shift.device);
        if (own == nullptr) return std::nullopt;  // what we do not know may be our own
        level = {shift.mean[0] - own->mean[0], shift.mean[1] - own->mean[1]};
        const double floor = shift.fact != nullptr ? shift.fact->floor : 0;
        if (level[1] - level[0] < floor) return std::nullopt;
        ratio = (std::max(0.0, level[1]) + floor) / (std::max(0.0, level[0]) + floor);
      } else if (own != nullptr && own->mean[0] > 0) {
        // At most all of the normal level was our own.
        const double ours = level[0] * own->mean[1] / own->mean[0];
        level[1] = std::max(level[0], level[1] - std::max(0.0, ours - level[0]));
        ratio = std::min(ratio, (level[1] + 1) / (level[0] + 1));
      }
    }
    const double strength = harm * std::log(ratio);
    if (!(strength > std::log(signal.least))) return std::nullopt;
    Moved found{.shift = &shift, .signal = &signal, .strength = strength};
    if (signal.law == Law::kInverse) {
      found.factor = shift.slowness[0] > 0 ? shift.slowness[1] / shift.slowness[0] : 1;
    } else if (signal.law == Law::kShareLeft || signal.law == Law::kCost) {
      found.factor = share_left_factor(shift, level);
    }
    return found;
  }

  /// How much longer what is left takes if a share of the time, or of a resource, is taken.
  static double share_left_factor(const CounterShift& shift, const std::array<double, 2>& level) {
    const double whole = shift.fact != nullptr && shift.fact->unit == "us/s" ? 1e6 : 100;
    const auto left = [&](double taken) { return std::max(0.02, 1 - taken / whole); };
    return left(level[0]) / left(level[1]);
  }

  /// By how much a cause made things slower, as counters of such a law say; nothing if there is
  /// none.
  std::optional<double> factor_by(const Cause& cause, Law law) const {
    std::optional<double> bound;
    for (const Signal& signal : cause.signals) {
      if (signal.law != law) continue;
      for (const CounterShift& shift : facts_.facts.counters) {
        if (shift.counter != signal.counter || !facts_.concerns_this_rank(shift)) continue;
        bound = std::max(bound.value_or(1), share_left_factor(shift, shift.mean));
      }
    }
    return bound;
  }

  /// Whether it was recorded how long the run waited for cores, and it was not longer than before.
  bool nobody_waited_for_cores() const {
    return facts_.known({"runq_wait"}) == ResourceFacts::Known::kSame;
  }

  /// Whether what a cause slows became slower, and how much.
  void set_felt(Slows slows, Explanation& explanation) const {
    Sum sum = sum_of(facts_.phase, [&](Part part) { return is_slowed(slows, part); });
    if (const double waits = facts_.wait_without_core_ns(); slows == Slows::kCores && waits > 0) {
      const PartChange& wait = *facts_.phase.part(Part::kDeviceWait);
      sum.before += wait.before_ns;
      sum.after += wait.before_ns + waits;
      sum.is_clear = sum.is_clear || waits > 0.5 * wait.delta_ns();
    }
    double ratio = sum.ratio();
    bool is_clear = sum.is_clear;
    std::string_view what = slowed_words(slows);
    const auto look_at = [&](Effort effort) {
      const EffortChange* change = facts_.phase.effort(effort);
      if (change == nullptr || !(change->each.excludes_1() || change->is_apart)) return;
      if (is_clear && change->each.ratio <= ratio) return;
      if (change->each.ratio <= 1) return;
      ratio = change->each.ratio;
      is_clear = true;
    };
    if (slows == Slows::kKernels || slows == Slows::kMemory) {
      ratio = facts_.speed.ratio;
      is_clear = facts_.speed.is_clear;
    }
    if (slows == Slows::kDevice && !facts_.has_device_times()) {
      const PartChange* wait = facts_.phase.part(Part::kDeviceWait);
      ratio = wait == nullptr ? 1 : facts_.wait_ratio(*wait);
      is_clear = wait != nullptr && wait->is_clear();
      what = "steps";
    } else if (slows == Slows::kDevice && !facts_.is_contention()) {
      // Devices that take turns between processes let work wait instead of running it slowly.
      const Sum waiting =
          sum_of(facts_.phase, [](Part part) { return part == Part::kLaunchDelay; });
      const double delay = waiting.after - waiting.before;
      ratio = waiting.ratio();
      is_clear = waiting.is_clear && delay > 0.1 * facts_.phase.mean_ns[0];
      what = "launched work waits for the device: waits";
    }
    if (slows == Slows::kLinks) look_at(Effort::kCollectives);
    if (slows == Slows::kProcess) {
      // Each stop hits another part, and few steps: what they have in common is the step.
      ratio = facts_.phase.mean.ratio;
      is_clear = facts_.phase.mean.excludes_1() ||
                 (facts_.phase.typical.excludes_1() && facts_.phase.typical.ratio > 1);
    }
    if (slows == Slows::kHost || slows == Slows::kCores) {
      // Parts may be too noisy one by one, and their sum not.
      is_clear = is_clear || facts_.phase.host.is_clear();
      look_at(Effort::kLaunchCalls);
    }
    if (slows == Slows::kCopies) {
      if (const std::optional<double> slower = facts_.copies_slower()) {
        ratio = *slower;
        is_clear = true;
      } else if (facts_.knows_rates()) {
        ratio = 1;  // more bytes are not slower copies
      } else {
        look_at(Effort::kCopiesToDevice);
        look_at(Effort::kCopiesFromDevice);
      }
    }
    explanation.felt_ratio = ratio;
    explanation.is_felt = is_clear && ratio > 1;
    explanation.felt_words = felt_words(what, facts_.facts.in_order(ratio));
  }

  /// " and 3 more", if other devices moved as this one: then it is no bad card.
  std::string others_alike(const CounterShift& one) const {
    const double moved = std::log(one.ratio.ratio);
    const auto others = std::count_if(
        facts_.facts.counters.begin(), facts_.facts.counters.end(), [&](const CounterShift& shift) {
          return &shift != &one && shift.counter == one.counter && shift.moved() &&
                 std::log(shift.ratio.ratio) / moved > 0.5;
        });
    return others == 0 ? "" : fmt::format(" and {} more", others);
  }

  bool is_harmless(const Moved& moved) const {
    return moved.signal->by_scarcity && facts_.has_idle_cores();
  }

  void add_cause(const Cause& cause) {
    std::optional<Moved> best;
    for (const Signal& signal : cause.signals) {
      for (const CounterShift& shift : facts_.facts.counters) {
        if (shift.counter != signal.counter) continue;
        const std::optional<Moved> here = moved(signal, shift, cause.slows);
        // The one that predicts most; without a law, the one that moved most.
        const auto rank = [&](const Moved& which) {
          return std::tuple(!is_harmless(which), which.factor, which.strength);
        };
        if (here && (!best || rank(*here) > rank(*best))) best = here;
      }
    }
    if (!best) return;
    // What the run lost itself says more than what others took. While it does run, it shares a core
    // with one other thread at most, so that half of the core is left.
    if (const std::optional<double> cost = factor_by(cause, Law::kCost)) {
      best->factor = std::min(best->factor, 2 * *cost);
    }
    const Law law = best->signal->law;
    Explanation found{
        .verdict = cause.verdict,
        .resource = best->shift->counter,
        .device = best->shift->device,
        .has_law = law == Law::kInverse || law == Law::kShareLeft || law == Law::kCost,
        .is_bound = law != Law::kInverse,
        .has_signal = true,
        .law_ratio = best->factor};
    const CounterShift& shift = *best->shift;
    // What moved only for a while shows in the mean and not in the middle.
    const double middles =
        shift.middle[0] == shift.middle[1] ? 1 : shift.middle[1] / shift.middle[0];
    const bool by_mean = middles > 0 && std::isfinite(middles) &&
                         std::abs(std::log(middles)) < 0.5 * std::abs(std::log(shift.ratio.ratio));
    const auto [normal, abnormal] = facts_.facts.in_order(by_mean ? shift.mean : shift.middle);
    found.text = fmt::format(
        "{} of {}{} ({}) {}", shift.counter, shift.device.empty() ? "the machine" : shift.device,
        others_alike(shift), shift.fact == nullptr ? std::string_view() : shift.fact->meaning,
        move_words(
            facts_.facts.in_order(shift.ratio.ratio) > 1, normal, abnormal,
            facts_.facts.in_units && shift.fact != nullptr ? shift.fact->unit : std::string_view(),
            by_mean ? " at times, on average" : ""));
    set_felt(cause.slows, found);
    if (is_harmless(*best)) found.is_felt = false;
    const std::optional<double> bound = factor_by(cause, Law::kAtMost);
    if (bound && std::log(*bound) < 0.5 * std::log(found.felt_ratio)) found.is_felt = false;
    // How much of the device's work the host hides is not known, so what it waits for has no law.
    if (cause.slows == Slows::kDevice && !facts_.has_device_times()) found.has_law = false;
    if (cause.slows == Slows::kCores) {
      const double waits = facts_.wait_without_core_ns();
      found.predicted_ns[static_cast<std::size_t>(Part::kDeviceWait)] = waits;
      // Other threads of the run may have waited for the cores, and this one for the device. And
      // where it is known that nobody of the run waited for a core, others may still have slowed it
      // (they share its caches and memory), or be busy for another reason.
      found.is_sure = waits < 0.5 * facts_.phase.delta_ns() && !nobody_waited_for_cores();
    }
    if (cause.slows == Slows::kProcess) {
      share_out(facts_.more_lost_ns(*best->shift), cause.slows, found);
    } else if (found.has_law && (cause.slows == Slows::kHost || cause.slows == Slows::kCores)) {
      predict_host(best->factor, cause.slows == Slows::kCores ? facts_.longer_without_core_ns() : 0,
                   found);
    } else {
      for (const PartChange& part : facts_.phase.parts) {
        if (!is_slowed(cause.slows, part.part)) continue;
        if (cause.slows == Slows::kMemory &&
            limit_of(facts_.facts, part.part) == LimitedBy::kCompute) {
          continue;
        }
        if (const EffortChange* copies = copies_of(part.part); found.has_law && copies != nullptr) {
          predict_copies(facts_.phase, *copies, best->factor, found);
        } else if (found.has_law) {
          predict(facts_.phase, found, part.part, best->factor);
        } else {
          take(facts_.phase, found, part.part);
          limit_to_typical(part, found);
        }
      }
    }
    found_.push_back(std::move(found));
  }

  /// Whoever uses the device slows all kernels, some families more than others, but not one of them
  /// many times as much as the typical one: the rest of its change has another reason.
  void limit_to_typical(const PartChange& part, Explanation& explanation) const {
    constexpr double kTimesAsMuch = 2;  // of logarithms
    if (!is_compute_part(part.part) || !facts_.is_contention()) return;
    const double most = std::pow(facts_.speed.ratio, kTimesAsMuch);
    double& predicted = explanation.predicted_ns[static_cast<std::size_t>(part.part)];
    predicted = std::min(predicted, part.before_ns * (most - 1));
  }

  const EffortChange* copies_of(Part part) const {
    for (const Effort effort : {Effort::kCopiesToDevice, Effort::kCopiesFromDevice}) {
      if (copy_part(effort) == part) return facts_.phase.effort(effort);
    }
    return nullptr;
  }

  /// Lost time shows in whatever became longer.
  void share_out(double lost_ns, Slows slows, Explanation& explanation) const {
    double moved = 0;
    const auto can_show = [&](const PartChange& part) {
      return is_slowed(slows, part.part) && part.delta_ns() > 0;
    };
    for (const PartChange& part : facts_.phase.parts) moved += can_show(part) ? part.delta_ns() : 0;
    for (const PartChange& part : facts_.phase.parts) {
      if (!can_show(part)) continue;
      explanation.predicted_ns[static_cast<std::size_t>(part.part)] =
          part.delta_ns() * std::min(1.0, lost_ns / moved);
    }
  }

  /// All that the host does itself in a step takes factor times as long. How much of that the
  /// device hides depends on which of the two is ahead at each launch, and that is not known. At
  /// least, each moment in which the device idled for the host gets longer, and the host must not
  /// need longer than the step; at most, nothing is hidden, or all that the run is known to have
  /// lost (`lost_ns`) shows. A change between these is as predicted.
  void predict_host(double factor, double lost_ns, Explanation& explanation) const {
    const EffortChange* waits = facts_.phase.effort(Effort::kWaitCalls);
    const double step = facts_.phase.mean_ns[0];
    const double host = std::max(0.0, step - (waits == nullptr ? 0 : waits->ns[0]));
    double moved = 0;
    double idle = 0;
    for (const PartChange& part : facts_.phase.parts) {
      if (is_host_part(part.part)) idle += part.before_ns;
      if (is_idle_part(part.part) && part.delta_ns() > 0) moved += part.delta_ns();
    }
    if (moved == 0) return;
    const double most = std::max((factor - 1) * host, lost_ns);
    const double least =
        std::min(most, std::max((factor - 1) * idle, std::max(host * factor, step) - step));
    const double change = std::clamp(moved, least, most);
    for (const PartChange& part : facts_.phase.parts) {
      if (!is_idle_part(part.part) || part.delta_ns() <= 0) continue;
      explanation.predicted_ns[static_cast<std::size_t>(part.part)] =
          part.delta_ns() / moved * change;
    }
  }

  const ResourceFacts& facts_;
  std::vector<Explanation>& found_;
  std::set<const CounterShift*> moved_;  ///< by what became slower; others may have, too
};

}  // namespace

void add_counter_causes(const ResourceFacts& facts, std::vector<Explanation>& found) {
  CounterCauses(facts, found).find();
}

}  // namespace tactus
