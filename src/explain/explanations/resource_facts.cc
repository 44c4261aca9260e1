#include "explain/explanations/resource_facts.h"

#include <algorithm>

#include "explain/explanations/explanation_parts.h"

namespace tactus {
namespace {

bool is_copy(Effort effort) {
  return effort == Effort::kCopiesToDevice || effort == Effort::kCopiesFromDevice;
}

}  // namespace

ResourceFacts::ResourceFacts(const PhaseFacts& of) : facts(of), phase(of.phase) {
  // Of kernels that do other work, only what the work cannot explain says something.
  speed = kernel_speed(facts);
}

const CounterShift* ResourceFacts::find_counter_shift(std::string_view counter,
                                                      const std::string& device) const {
  for (const CounterShift& shift : facts.counters) {
    if (shift.counter == counter && (device.empty() || shift.device == device)) return &shift;
  }
  return nullptr;
}

bool ResourceFacts::concerns_this_rank(const CounterShift& shift) const {
  if (shift.rank && facts.rank.rank) return *shift.rank == *facts.rank.rank;
  const std::string& own = facts.rank.device;
  return own.empty() || shift.device == own || find_counter_shift(shift.counter, own) == nullptr;
}

double ResourceFacts::clock_factor() const {
  for (const CounterShift& shift : facts.counters) {
    if (shift.counter != "gpu_sm_frequency" && shift.counter != "gpu_frequency") continue;
    if (!concerns_this_rank(shift) || shift.slowness[0] <= 0) continue;
    return shift.slowness[1] / shift.slowness[0];
  }
  return 1;
}

ResourceFacts::Known ResourceFacts::known(std::initializer_list<std::string_view> counters) const {
  Known best = Known::kNot;
  for (const CounterShift& shift : facts.counters) {
    const bool is_one =
        std::find(counters.begin(), counters.end(), shift.counter) != counters.end();
    if (!is_one || !concerns_this_rank(shift)) continue;
    best = std::max(best, shift.moved()         ? Known::kMoved
                          : shift.can_compare() ? Known::kSame
                                                : Known::kTooFew);
  }
  return best;
}

bool ResourceFacts::others_use_no_more() const {
  if (!facts.in_units) return false;
  return std::any_of(facts.counters.begin(), facts.counters.end(), [&](const CounterShift& shift) {
    if (shift.counter != "gpu_foreign_usage" && shift.counter != "gpu_mem_foreign") return false;
    return concerns_this_rank(shift) && shift.fact != nullptr &&
           shift.mean[1] - shift.mean[0] <= shift.fact->floor;
  });
}

bool ResourceFacts::is_contention() const {
  return speed.ratio / clock_factor() > kContention && speed.is_clear &&
         speed.share_of_families > 0.5;
}

bool ResourceFacts::has_device_times() const {
  return std::any_of(phase.parts.begin(), phase.parts.end(),
                     [](const PartChange& part) { return is_kernel_part(part.part); });
}

double ResourceFacts::wait_ratio(const PartChange& wait) const {
  return 1 + wait.delta_ns() / phase.mean_ns[0];
}

double ResourceFacts::more_lost_ns(const CounterShift& lost) const {
  if (!facts.in_units || !lost.moved() || !concerns_this_rank(lost)) return 0;
  constexpr double kPerSecond = 1e-6;  // of us per second
  return kPerSecond *
         std::max(0.0, lost.mean[1] * phase.mean_ns[1] - lost.mean[0] * phase.mean_ns[0]);
}

double ResourceFacts::longer_without_core_ns() const {
  double most = 0;
  for (const CounterShift& shift : facts.counters) {
    if (shift.counter == "runq_wait") most = std::max(most, more_lost_ns(shift));
  }
  return most;
}

double ResourceFacts::wait_without_core_ns() const {
  const PartChange* wait = phase.part(Part::kDeviceWait);
  if (wait == nullptr || has_device_times() || !wait->is_clear()) return 0;
  return std::min(longer_without_core_ns(), std::max(0.0, wait->delta_ns()));
}

bool ResourceFacts::has_idle_cores() const {
  constexpr double kBusy = 100.0 / 3;
  if (!facts.in_units) return false;
  if (known({"runq_wait", "cpu_pressure", "container_cpu_throttled"}) == Known::kMoved)
    return false;
  const CounterShift* usage = find_counter_shift("host_cpu_usage", "");
  return usage != nullptr && std::max(usage->mean[0], usage->mean[1]) < kBusy;
}

bool ResourceFacts::knows_rates() const {
  return std::any_of(phase.efforts.begin(), phase.efforts.end(), [](const EffortChange& effort) {
    return effort.has_rate && is_copy(effort.effort);
  });
}

std::optional<double> ResourceFacts::copies_slower() const {
  std::optional<double> slower;
  for (const EffortChange& copies : phase.efforts) {
    if (!is_copy(copies.effort) || !copies.rate_is_clear()) continue;
    if (copies.rate.ratio < 1) slower = std::max(slower.value_or(1), 1 / copies.rate.ratio);
  }
  return slower;
}

}  // namespace tactus
