#include <fmt/format.h>

#include "counters/level_words.h"
#include "explain/explanation_parts.h"
#include "stats/summary.h"

namespace tactus {
namespace {

class ResourceFinder {
 public:
  ResourceFinder(const PhaseFacts& facts, int direction, std::vector<Explanation>& found)
      : facts_(facts), phase_(facts.phase), direction_(direction), found_(found) {
    // Kernels that do other work say nothing about their speed.
    if (phase_.same_work && !grids_differ(grid_ratio(facts))) speed_ = kernel_speed(facts);
  }

  void find() {
    for (const Cause& cause : known_causes()) add_cause(cause);
    add_contention_without_signal();
    add_gpu_slower();
    add_device_wait();
    add_slow_copies();
    add_traced_host();
    add_host_slower();
  }

 private:
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
    if (slows == Slows::kDevice && !has_device_times()) {
      const PartChange* wait = phase_.part(Part::kDeviceWait);
      ratio = wait == nullptr ? 1 : wait_ratio(*wait);
      is_clear = wait != nullptr && wait->is_clear();
    } else if (slows == Slows::kDevice && !is_contention()) {
      // Devices that take turns between processes let work wait instead of running it slowly.
      const Sum waiting =
          sum_of(phase_, direction_, [](Part part) { return part == Part::kLaunchDelay; });
      const double delay = direction_ * (waiting.after - waiting.before);
      ratio = waiting.ratio();
      is_clear = waiting.is_clear && delay > 0.1 * phase_.mean_ns[0];
    }
    if (slows == Slows::kLinks) look_at(Effort::kCollectives);
    if (slows == Slows::kHost) {
      // Parts may be too noisy one by one, and their sum not.
      is_clear = is_clear || phase_.host.is_clear();
      look_at(Effort::kLaunchCalls);
    }
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
    // How much of the device's work the host hides is not known, so what it waits for has no law.
    if (cause.slows == Slows::kDevice && !has_device_times()) found.has_law = false;
    if (found.has_law && cause.slows == Slows::kHost) {
      predict_host(best->factor, found);
    } else {
      for (const PartChange& part : phase_.parts) {
        if (!is_slowed(cause.slows, part.part)) continue;
        if (found.has_law) {
          predict(phase_, found, part.part, best->factor);
        } else {
          take(phase_, found, part.part);
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
      if (is_compute_part(part.part)) take(phase_, found, part.part);
    }
    found_.push_back(std::move(found));
  }

  /// A light recording has what the host did, and no times of the device.
  bool has_device_times() const {
    return std::any_of(phase_.parts.begin(), phase_.parts.end(),
                       [](const PartChange& part) { return is_kernel_part(part.part); });
  }

  /// The step by what is waited for longer: a wait of nothing has no ratio of its own.
  double wait_ratio(const PartChange& wait) const {
    return 1 + wait.delta_ns() / phase_.mean_ns[0];
  }

  /// The same launches, and the host waits longer for what they do.
  void add_device_wait() {
    const PartChange* wait = phase_.part(Part::kDeviceWait);
    if (wait == nullptr || has_device_times() || has(VerdictClass::kGpuContention)) return;
    if (!wait->is_clear() || direction_ * std::log(wait_ratio(*wait)) < std::log(1.03)) return;
    Explanation found{.verdict = VerdictClass::kGpuSlower,
                      .resource = "waits for the device",
                      .device = facts_.rank.device,
                      .text = fmt::format(
                          "the host waits {:.3g} ms per step for the device instead of {:.3g} ms; "
                          "times of kernels (tactus record --mode full), the clock of the device "
                          "and who else uses it would settle why",
                          wait->after_ns / 1e6, wait->before_ns / 1e6),
                      .is_felt = true,
                      .felt_ratio = wait_ratio(*wait)};
    take(phase_, found, Part::kDeviceWait);
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
      if (is_compute_part(part.part)) predict(phase_, found, part.part, speed_.ratio);
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
      predict(phase_, found, part, slower);
      found_.push_back(std::move(found));
      return;
    }
  }

  /// Where threads were traced, most of what the device waits for may be one thing that they waited
  /// for.
  void add_traced_host() {
    if (!facts_.has_host || direction_ < 0) return;
    struct Wait {
      Part part;
      VerdictClass verdict;
      std::string_view resource;
      std::string_view what;
    };
    static constexpr std::array kWaits = {
        Wait{Part::kNotOnCore, VerdictClass::kCpuContention, "cores",
             "is ready to run, without a core,"},
        Wait{Part::kDisk, VerdictClass::kDisk, "files", "waits for files"},
        Wait{Part::kLock, VerdictClass::kHostSlower, "locks", "waits for other threads"},
    };
    const Sum all = sum_of(phase_, direction_, is_host_part);
    for (const Wait& wait : kWaits) {
      const PartChange* change = phase_.part(wait.part);
      if (change == nullptr || !change->is_clear() || fits(wait.verdict)) continue;
      if (change->delta_ns() <= 0 || change->delta_ns() < 0.5 * (all.after - all.before)) continue;
      Explanation found{
          .verdict = wait.verdict,
          .resource = std::string(wait.resource),
          .text = fmt::format("the thread that launches {} {:.3g} ms per step instead of {:.3g} ms",
                              wait.what, change->after_ns / 1e6, change->before_ns / 1e6),
          .has_signal = true,
          .is_felt = true};
      take(phase_, found, wait.part);
      found_.push_back(std::move(found));
      has_traced_wait_ = true;
      return;
    }
  }

  std::string host_words(double ratio, std::string_view what) const {
    if (has_device_times()) {
      return fmt::format("the device waits {:.2f} times as long for {}", ratio, what);
    }
    return fmt::format("the host itself needs {:.2f} times as long", ratio);
  }

  /// Launches and the code around them are slower by one factor; or the code alone is.
  void add_host_slower() {
    if (!facts_.has_host || has_traced_wait_) return;
    if (fits(VerdictClass::kCpuContention) || fits(VerdictClass::kCpuFrequency)) return;
    const EffortChange* launches = phase_.effort(Effort::kLaunchCalls);
    const bool is_known =
        launches != nullptr && (launches->each.excludes_1() || launches->is_apart);
    const double factor = is_known ? launches->each.ratio : 1;
    Sum code = sum_of(phase_, direction_, is_host_part);
    code.is_clear = phase_.host.is_clear() ||
                    (phase_.host_over_launch.excludes_1() && phase_.host_over_launch.ratio > 1);
    Explanation found{.verdict = VerdictClass::kHostSlower, .is_felt = true};
    if (direction_ * std::log(factor) > std::log(kFelt)) {
      found.resource = "launch calls";
      found.felt_ratio = factor;
      found.text = fmt::format(
          "a launch takes {:.2f} times as long, and {}; load and clock of the CPU would settle why",
          factor, host_words(code.ratio(), "the host"));
    } else if (direction_ > 0 && launches != nullptr && code.is_clear && code.ratio() > 1) {
      found.resource = "host code";
      found.felt_ratio = code.ratio();
      found.text = fmt::format(
          "{}, while launches take as long as before; stacks or a profile of the host would show "
          "which code",
          host_words(code.ratio(), "code of the host"));
    } else {
      return;
    }
    for (const PartChange& part : phase_.parts) {
      if (is_host_part(part.part)) take(phase_, found, part.part);
    }
    found_.push_back(std::move(found));
  }

  const PhaseFacts& facts_;
  const PhaseChange& phase_;
  int direction_;
  KernelSpeed speed_;
  std::vector<Explanation>& found_;
  bool has_traced_wait_ = false;
};

}  // namespace

void add_resource_explanations(const PhaseFacts& facts, int direction,
                               std::vector<Explanation>& found) {
  ResourceFinder(facts, direction, found).find();
}

}  // namespace tactus
