#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cycles/cycles.h"
#include "cycles/passes/loops.h"
#include "measure/parts.h"
#include "run/run.h"

namespace tactus {

/// A whole step of one rank.
struct MeasuredStep {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  double ns = 0;     ///< its length; scaled if steps were made comparable
  double scale = 1;  ///< what its costs were multiplied by, and those of functions have to be
  double launches = 0;
  StepWork work;
  /// Of steps whose phase nothing tells: those of one kind launch the same kernels (step_kinds.h).
  std::uint8_t kind = 0;
};

/// An effort in each step.
struct EffortColumns {
  std::vector<float> count;
  std::vector<double> ns;
  std::vector<double> bytes;  ///< of copies; empty if unknown
};

/// One rank of one recording: its steps, and what they are made of, by column.
struct RankMeasure {
  std::optional<std::int64_t> rank;
  std::int64_t pid = 0;       ///< as the recording gives it: two ranks may have one
  std::string pid_text;       ///< "4711", or "4711 of b.json.gz" if another rank has that pid
  std::uint32_t process = 0;  ///< of run.processes; of a trace only
  std::string host;
  std::string device;  ///< "GPU 0"
  std::string anchor;
  std::vector<MeasuredStep> steps;                ///< whole ones, in the order of time
  std::array<std::size_t, kPhases> cut_off{};     ///< steps before a pause whose end is not known
  std::array<double, kPhases> pause_ns{};         ///< behind steps of each phase, all together
  std::array<std::vector<double>, kParts> parts;  ///< [ns] by step; empty for what never occurs
  std::array<EffortColumns, kEfforts> efforts;    ///< by step; empty for what never occurs
};

/// A function of a rank: a kernel by its name, or a kind of copy.
struct MeasuredFunction {
  std::string name;
  Part part = Part::kUnknownIdle;
};
/// What a function took in one step.
struct FunctionCost {
  std::uint32_t function = 0;
  std::uint32_t step = 0;  ///< of RankMeasure::steps
  float count = 0;
  double ns = 0;
  double blocks = 0;  ///< of its launches; 0 if they are not known
};
struct FunctionCosts {
  std::vector<MeasuredFunction> functions;
  std::vector<FunctionCost> costs;  ///< by function, then by step; steps without it are left out
};

/// One recording, measured. Costs of single functions are read for a rank when they are wanted:
/// those of many ranks at once would not fit into memory.
class Measurement {
 public:
  Measurement() = default;
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;
  virtual ~Measurement() = default;

  virtual FunctionCosts functions(std::size_t rank) const = 0;

  std::vector<RankMeasure> ranks;
  std::string kind_of_cycle;      ///< equal for steps of one kind; empty if nothing tells
  std::size_t cycles_joined = 1;  ///< how many found cycles make one step here
  std::int64_t origin_ns = 0;     ///< time 0 of the steps, in ns since the epoch; 0 if unknown
  bool is_trace = false;
  bool has_host = false;  ///< what the host did was recorded
};

/// Measures the cycles of a trace. Both must outlive the result.
std::unique_ptr<Measurement> measure_trace(const Run& run, const Cycles& cycles);
/// The same for who knows the loops of the whole run already; they need not stay.
std::unique_ptr<Measurement> measure_trace(const Run& run, const Cycles& cycles,
                                           const Loops& loops);

/// Measures patterns (`*_perf_data.csv`), which have no order inside a cycle: what the device does
/// not fill is idle time without a cause. The run must outlive the result.
std::unique_ptr<Measurement> measure_patterns(const Run& run);

/// The ranks of several measurements as those of one recording.
std::unique_ptr<Measurement> join_ranks(std::vector<std::unique_ptr<Measurement>> parts);

/// Splits the time of collectives: what the first rank to finish needed is the collective, the rest
/// is waiting for other ranks. Only where all ranks have the same number of steps.
void split_collectives(Measurement& measurement);

/// Scales steps and their parts to `launches` each, for runs whose steps are of different kinds.
void scale_to_launches(double launches, Measurement& measurement);

/// Removes the steps of ranks that are not wanted.
void keep_ranks(const std::function<bool(const RankMeasure&)>& is_wanted, Measurement& measurement);

}  // namespace tactus
