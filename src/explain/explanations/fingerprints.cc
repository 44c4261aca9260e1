#include <fmt/format.h>

#include <algorithm>

#include "explain/explanations/explanation_parts.h"
#include "explain/explanations/resource_facts.h"

namespace tactus {
namespace {

constexpr double kNoticed = 1.03;  // a clear change below this is not looked into

class Fingerprints {
 public:
  Fingerprints(const ResourceFacts& facts, std::vector<Explanation>& found)
      : facts_(facts), found_(found) {}

  void find() {
    add_contention_without_signal();
    add_gpu_slower();
    add_device_wait();
    add_slow_copies();
    add_traced_host();
    add_host_slower();
  }

 private:
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

  /// More memory of the device is in use, as when others come, and whose it is was not recorded.
  bool others_may_have_come() const {
    return std::any_of(
        facts_.facts.counters.begin(), facts_.facts.counters.end(), [&](const CounterShift& shift) {
          return shift.counter == "gpu_mem_used" && facts_.concerns_this_rank(shift) &&
                 shift.moved() && shift.ratio.ratio > 1 &&
                 facts_.find_counter_shift("process_gpu_mem_usage", shift.device) == nullptr;
        });
  }

  /// That kernels became faster by itself does not show that somebody else was there before.
  void add_contention_without_signal() {
    if (!facts_.facts.has_clock || has(VerdictClass::kGpuContention)) return;
    if (facts_.facts.is_reversed && !others_may_have_come()) return;
    if (!facts_.is_contention() || !facts_.speed.is_of_all() || facts_.others_use_no_more()) return;
    Explanation found{.verdict = VerdictClass::kGpuContention,
                      .resource = "kernels",
                      .device = facts_.facts.rank.device,
                      .text = fmt::format(
                          "the same kernels take {:.2f} times as long at the clock that they had, "
                          "so something else {}",
                          facts_.facts.in_order(facts_.speed.ratio / facts_.clock_factor()),
                          facts_.facts.is_reversed ? "used the device before" : "uses the device"),
                      .is_felt = true,
                      .felt_ratio = facts_.speed.ratio,
                      .is_on_device = true};
    for (const PartChange& part : facts_.phase.parts) {
      if (is_compute_part(part.part)) take(facts_.phase, found, part.part);
    }
    found_.push_back(std::move(found));
  }

  /// The same launches, and the host waits longer for what they do.
  void add_device_wait() {
    const PartChange* wait = facts_.phase.part(Part::kDeviceWait);
    if (wait == nullptr || facts_.has_device_times() || has(VerdictClass::kGpuContention)) return;
    if (!wait->is_clear() || facts_.wait_ratio(*wait) < kNoticed) return;
    const auto [before, after] = facts_.facts.in_order(std::array{wait->before_ns, wait->after_ns});
    Explanation found{.verdict = VerdictClass::kGpuSlower,
                      .resource = "waits for the device",
                      .device = facts_.facts.rank.device,
                      .text = fmt::format(
                          "the host waits {:.3g} ms per step for the device instead of {:.3g} ms; "
                          "times of kernels (tactus record --mode full), the clock of the device "
                          "and who else uses it would settle why",
                          after / 1e6, before / 1e6),
                      .is_felt = true,
                      .felt_ratio = facts_.wait_ratio(*wait),
                      .is_on_device = true};
    take(facts_.phase, found, Part::kDeviceWait);
    found_.push_back(std::move(found));
  }

  /// Which reasons of slow kernels were recorded, and what would settle the rest.
  std::string what_is_known_of_device() const {
    using Known = ResourceFacts::Known;
    const bool has_clock = facts_.facts.has_clock;
    const Known clock = facts_.known({"gpu_sm_frequency", "gpu_frequency"});
    const Known others = facts_.known({"gpu_foreign_usage", "gpu_mem_foreign"});
    const bool are_no_more = facts_.others_use_no_more();
    if (has_clock && are_no_more) {
      return "neither its clock nor another process on the device explains it";
    }
    if (!has_clock && clock == Known::kNot && others != Known::kMoved && !are_no_more) {
      return "the clock of the device and who else uses it would settle why";
    }
    const std::string_view of_clock = has_clock                 ? "its clock does not explain it; "
                                      : clock == Known::kTooFew ? "its clock was read too rarely; "
                                                                : "";
    if (are_no_more) {
      return std::string("nobody else uses the device more than before; ") +
             (clock == Known::kTooFew ? "its clock was read too rarely to settle why"
                                      : "its clock would settle why");
    }
    return std::string(of_clock) + (others == Known::kMoved
                                        ? "other processes use the device more than before, which "
                                          "may be why"
                                        : "who else uses the device would settle why");
  }

  /// The same of a slow host.
  std::string what_is_known_of_host() const {
    using Known = ResourceFacts::Known;
    struct Reason {
      std::string_view name;
      Known known;
    };
    const Reason reasons[] = {
        {"load", facts_.known({"host_cpu_foreign", "host_cpu_usage", "cpu_pressure", "runq_wait"})},
        {"clock", facts_.known({"cpu_frequency"})}};
    std::string recorded;
    std::string missing;
    std::string rare;
    for (const auto& [name, known] : reasons) {
      std::string& list = known == Known::kNot      ? missing
                          : known == Known::kTooFew ? rare
                                                    : recorded;
      list += fmt::format("{}{}", list.empty() ? "" : " and ", name);
    }
    if (!rare.empty()) rare = "more samples of " + rare;
    const std::string wanted = missing + (missing.empty() || rare.empty() ? "" : " and ") + rare;
    if (wanted.empty()) return "load and clock of the CPU do not explain it";
    std::string settles = fmt::format("{} of the CPU would settle why", wanted);
    if (recorded.empty()) return settles;
    return fmt::format("its {} does not explain it; {}", recorded, settles);
  }

  /// Nothing says why kernels are slower: neither who else is there, nor the clock, or they say
  /// that it was not that.
  void add_gpu_slower() {
    if (has(VerdictClass::kGpuContention)) return;
    const double ratio = facts_.speed.ratio / (facts_.facts.has_clock ? facts_.clock_factor() : 1);
    if (ratio < kNoticed || !facts_.speed.is_of_all()) return;
    Explanation found{
        .verdict = VerdictClass::kGpuSlower,
        .resource = "kernels",
        .device = facts_.facts.rank.device,
        .text = fmt::format("all kernels take {:.2f} times as long; {}",
                            facts_.facts.in_order(facts_.speed.ratio), what_is_known_of_device()),
        .is_felt = true,
        .felt_ratio = facts_.speed.ratio,
        .is_on_device = true};
    for (const PartChange& part : facts_.phase.parts) {
      if (is_compute_part(part.part)) predict(facts_.phase, found, part.part, facts_.speed.ratio);
    }
    found_.push_back(std::move(found));
  }

  /// The same bytes at fewer bytes per second.
  void add_slow_copies() {
    if (has(VerdictClass::kPcie)) return;
    for (const Effort effort : {Effort::kCopiesToDevice, Effort::kCopiesFromDevice}) {
      const EffortChange* copies = facts_.phase.effort(effort);
      if (copies == nullptr || !copies->rate_is_clear()) continue;
      const double slower = 1 / copies->rate.ratio;
      if (slower < kNoticed) continue;
      const Part part = copy_part(effort);
      Explanation found{
          .verdict = VerdictClass::kPcie,
          .resource = std::string(part_name(part)),
          .device = facts_.facts.rank.device,
          .text = fmt::format("the same {} run at {:.2f} of their bytes per second; "
                              "the traffic over PCIe would settle why",
                              part_name(part), facts_.facts.in_order(copies->rate.ratio)),
          .has_law = true,
          .is_felt = true,
          .felt_ratio = slower};
      predict_copies(facts_.phase, *copies, slower, found);
      found_.push_back(std::move(found));
      return;
    }
  }

  /// Where threads were traced, most of what the device waits for may be one thing that they waited
  /// for.
  void add_traced_host() {
    if (!facts_.facts.has_host) return;
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
    const Sum all = sum_of(facts_.phase, is_host_part);
    for (const Wait& wait : kWaits) {
      const PartChange* change = facts_.phase.part(wait.part);
      if (change == nullptr || !change->is_clear() || fits(wait.verdict)) continue;
      if (change->delta_ns() <= 0 || change->delta_ns() < 0.5 * (all.after - all.before)) continue;
      const auto [before, after] =
          facts_.facts.in_order(std::array{change->before_ns, change->after_ns});
      Explanation found{
          .verdict = wait.verdict,
          .resource = std::string(wait.resource),
          .text = fmt::format("the thread that launches {} {:.3g} ms per step instead of {:.3g} ms",
                              wait.what, after / 1e6, before / 1e6),
          .has_signal = true,
          .is_felt = true};
      take(facts_.phase, found, wait.part);
      found_.push_back(std::move(found));
      has_traced_wait_ = true;
      return;
    }
  }

  std::string host_words(const Sum& time, std::string_view what) const {
    const auto [before, after] = facts_.facts.in_order(std::array{time.before, time.after});
    return fmt::format("{} {:.3g} ms per step {}instead of {:.3g} ms",
                       facts_.has_device_times() ? "the device waits" : "the host itself needs",
                       after / 1e6, facts_.has_device_times() ? fmt::format("for {} ", what) : "",
                       before / 1e6);
  }

  /// Launches and the code around them are slower by one factor; or the code alone is.
  void add_host_slower() {
    if (!facts_.facts.has_host || has_traced_wait_) return;
    if (fits(VerdictClass::kCpuContention) || fits(VerdictClass::kCpuFrequency)) return;
    if (fits(VerdictClass::kHostSlower)) return;  // by a counter
    const EffortChange* launches = facts_.phase.effort(Effort::kLaunchCalls);
    const bool is_known =
        launches != nullptr && (launches->each.excludes_1() || launches->is_apart);
    const double factor = is_known ? launches->each.ratio : 1;
    Sum code = sum_of(facts_.phase, is_host_part);
    code.is_clear = facts_.phase.host.is_clear() || (facts_.phase.host_over_launch.excludes_1() &&
                                                     facts_.phase.host_over_launch.ratio > 1);
    Explanation found{.verdict = VerdictClass::kHostSlower, .is_felt = true};
    if (factor > kFelt) {
      found.resource = "launch calls";
      found.felt_ratio = factor;
      found.text = fmt::format("a launch takes {:.2f} times as long, and {}; {}",
                               facts_.facts.in_order(factor), host_words(code, "the host"),
                               what_is_known_of_host());
    } else if (!facts_.facts.is_reversed && launches != nullptr && code.is_clear &&
               code.ratio() > 1) {
      // Code that takes less time may be better code; that is not a slow host that is gone.
      found.resource = "host code";
      found.felt_ratio = code.ratio();
      found.text = fmt::format(
          "{}, while the time of a launch did not change; stacks or a profile of the host would "
          "show "
          "which code",
          host_words(code, "code of the host"));
    } else {
      return;
    }
    for (const PartChange& part : facts_.phase.parts) {
      if (is_host_part(part.part)) take(facts_.phase, found, part.part);
    }
    found_.push_back(std::move(found));
  }

  const ResourceFacts& facts_;
  std::vector<Explanation>& found_;
  bool has_traced_wait_ = false;
};

}  // namespace

void add_fingerprints(const ResourceFacts& facts, std::vector<Explanation>& found) {
  Fingerprints(facts, found).find();
}

}  // namespace tactus
