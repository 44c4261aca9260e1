#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "counters/counter_table.h"
#include "explain/comparison.h"
#include "measure/parts.h"

namespace tactus {

/// The direction in which a counter does harm.
enum class Harm : std::uint8_t { kUp, kDown };

/// The work that a cause makes slower. It is named only if that work became slower.
enum class Slows : std::uint8_t {
  kKernels,
  kMemory,  ///< kernels, but for those that computing limits
  kDevice,  ///< kernels, and work that waits until the device has time for it
  kLinks,
  kCopies,
  kHost,
  kCores,    ///< the host, and waits that last because the thread that waits has no core to go on
  kProcess,  ///< all that its threads do or wait for, wherever they were when they had to stop
};

/// How large the effect of a signal should be, as a factor on the time of the parts that it slows.
enum class Law : std::uint8_t {
  kNone,       ///< nothing to predict it by
  kInverse,    ///< time goes with one over the level: clocks, the speed of a link
  kShareLeft,  ///< the level is the share that others take; what is left gets slower
  kCost,       ///< the level is the share of its time that the run itself lost by the cause
  kAtMost,     ///< the level is a share of time in which somebody waited: we did not wait longer
};

/// What part of a level the run itself makes.
enum class OwnUse : std::uint8_t {
  kNone,         ///< the level is about others, or about the machine
  kCounter,      ///< another counter says it; without that counter the level is no signal
  kFollowsStep,  ///< each step makes as much as before, so it follows the speed of the steps
};

/// A counter that can show a cause.
struct Signal {
  std::string_view counter;
  Harm harm = Harm::kUp;
  Law law = Law::kNone;
  OwnUse own = OwnUse::kNone;
  std::string_view own_counter;
  double least = 1.25;  ///< the factor by which it has to move; clocks count from 3% on
  /// Others that run on cores which nobody else wants cost nothing.
  bool by_scarcity = false;
};

/// A cause, as data.
struct Cause {
  VerdictClass verdict = VerdictClass::kUnknown;
  Slows slows = Slows::kKernels;
  std::span<const Signal> signals;
};
std::span<const Cause> known_causes();

/// The signal that a counter can be; null if it is none.
const Signal* signal_of(std::string_view counter);
/// The cause that a counter can show; kNone for none.
VerdictClass class_of_counter(std::string_view counter);

/// True for parts of a step that such work takes.
bool is_slowed(Slows slows, Part part);

}  // namespace tactus
