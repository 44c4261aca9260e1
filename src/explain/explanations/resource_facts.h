#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "explain/explanations/explanations.h"

namespace tactus {

/// What the explanations by resources ask about a phase.
class ResourceFacts {
 public:
  explicit ResourceFacts(const PhaseFacts& facts);

  const PhaseFacts& facts;
  const PhaseChange& phase;
  KernelSpeed speed;

  /// Null if there is none; of any device if `device` is empty.
  const CounterShift* find_counter_shift(std::string_view counter, const std::string& device) const;
  /// Only counters of this rank's device, of its host, or of no rank. Another device does not
  /// concern it if its own was recorded; else it may be the same one by another number.
  bool concerns_this_rank(const CounterShift& shift) const;

  /// What the clock of this rank's device predicts for kernels; 1 if it did not move.
  double clock_factor() const;
  /// What is known of a quantity that any of some counters shows.
  enum class Known { kNot, kTooFew, kSame, kMoved };
  Known known(std::initializer_list<std::string_view> counters) const;
  /// What other processes use of this rank's device was recorded, and did not grow.
  bool others_use_no_more() const;
  /// Kernels of most families are slower than their clock explains.
  bool is_contention() const;
  /// A light recording has what the host did, and no times of the device.
  bool has_device_times() const;
  /// The step by what is waited for longer: a wait of nothing has no ratio of its own.
  double wait_ratio(const PartChange& wait) const;

  /// How much longer a step waits for the device because the run's own threads waited for a core,
  /// at most: a thread that could go on, or that asks again and again, needs one. Only light
  /// recordings have such waits; the others know when the device was done.
  double wait_without_core_ns() const;
  /// How much longer the run's own threads waited for a core, per step; 0 if it is not known.
  double longer_without_core_ns() const;
  /// How much more of a step was lost by what a counter in us per second says that the run lost
  /// itself; 0 if it did not move, or belongs to another rank.
  double more_lost_ns(const CounterShift& lost) const;

  /// Two of three cores were idle all the same, and nothing says that the run waited for one.
  bool has_idle_cores() const;

  /// Bytes per second of copies are known.
  bool knows_rates() const;
  /// How many times as long a byte takes that is copied, of the copies that became slowest.
  std::optional<double> copies_slower() const;
};

/// Causes that counters show.
void add_counter_causes(const ResourceFacts& facts, std::vector<Explanation>& found);

/// What kernels, copies and the host show by themselves, where no counter does. Looks at what was
/// found before.
void add_fingerprints(const ResourceFacts& facts, std::vector<Explanation>& found);

}  // namespace tactus
