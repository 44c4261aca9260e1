#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "cycles/phases/step_work.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

class RunPasses;

/// What marks the cycles of a run, the most telling first.
enum class AnchorMethod : std::uint8_t {
  kAnnotation,      ///< a range that the engine named
  kPython,          ///< a Python function
  kCpuOp,           ///< a framework op
  kKernelSequence,  ///< the kernels repeat
  kLaunch,          ///< nothing repeats; only single launches can be counted
};
std::string_view anchor_method_name(AnchorMethod method);

/// One turn of the engine's loop. Its time is device time, from its first work to the first work of
/// the next turn: a host that runs ahead waits in one turn for the work of another.
struct Cycle {
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t pause_ns = 0;  ///< behind it until the next begins, if nothing tells what that was
  Phase phase = Phase::kUnknown;
  std::int64_t gpu_busy_ns = 0;  ///< time with work of it on a device; overlaps count once
  std::int64_t launches = 0;     ///< kernels
  bool complete = true;          ///< false if an edge of the recording cuts it
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> context_tokens;
  std::optional<std::int64_t> generation_tokens;
  std::optional<std::int64_t> prompts;    ///< requests that read theirs, as the engine says
  std::optional<std::int64_t> tokens;     ///< that were computed
  std::optional<std::int64_t> sequences;  ///< that took part
  std::optional<std::int64_t> context;    ///< tokens that they attend to
  Evidence evidence = Evidence::kNone;    ///< of phase and tokens
  std::uint32_t process = 0;              ///< of run.processes: the host process whose loop it is
};

/// The work of a cycle.
StepWork work_of(const Cycle& cycle);

/// Kernels were launched, and not all have times: of a light recording.
inline bool lacks_gpu_time(const Cycle& cycle) {
  return cycle.gpu_busy_ns == 0 && cycle.launches != 0;
}

struct Cycles {
  AnchorMethod method = AnchorMethod::kLaunch;
  std::string anchor;          ///< the name that marks them; empty for kLaunch
  std::string comparable_key;  ///< equal for runs whose cycles are of one kind
  std::vector<Cycle> cycles;   ///< by process, then by time
  std::size_t joined = 1;      ///< how many found cycles make one cycle here

  /// By row of run.slices: its cycle, -1 for none. Device work belongs to the cycle that launched
  /// it, host slices belong to the turn of the host's loop in which they start.
  std::vector<std::int32_t> cycle_of_slice;
};

struct CycleQuestion {
  SliceFilter filter;
  std::string anchor;     ///< asked for by name; empty: find one
  bool by_layer = false;  ///< the layers of a step instead of the steps
  /// Time between annotated steps in which the host recorded nothing is a pause, and not part of
  /// the step before: who asks how long steps take wants that. Else it is the idle time of that
  /// step.
  bool silence_is_pause = false;
  ShouldStop should_stop = nullptr;
};

/// The cycles of a run; an error if it has no slices, none of the anchor asked for, or if it is
/// stopped.
Result<Cycles> find_cycles(const Run& run, const CycleQuestion& question);
/// The same, with passes and names that others need too.
Result<Cycles> find_cycles(const Run& run, const CycleQuestion& question, RunPasses& passes);

/// The same for two runs to compare: one kind of anchor for both, if they share one.
Result<std::pair<Cycles, Cycles>> find_cycles_jointly(const Run& a, const Run& b,
                                                      const CycleQuestion& question);

}  // namespace tactus
